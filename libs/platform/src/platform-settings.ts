import type { AdmissionLimits, CircuitSettings } from '#resilience';
import type { SignatureSettings } from '#signing';
import type { TlsContext } from '#tls';

import type { DnsCache } from './transport/dns-cache.ts';

/**
 * Per-operator settings for details that the interface document leaves open. Source: bus contract, section 6.
 */
export interface PlatformSettings extends SignatureSettings {
  /** The location of the rake report's form data: the body of the GET, the query, or both. */
  readonly rakeParametersIn: 'form' | 'query' | 'both';
  /**
   * Additional members, not in the interface document, that may be sent, such as `game.open/player/city`.
   * Default: none.
   */
  readonly extraMembers?: ReadonlySet<string> | undefined;
  /** The value of the query parameter `client` of open-game. Default: the client id. */
  readonly clientKey?: string | undefined;
  readonly userAgent: string;
  /** The platform's member name for the player's country. */
  readonly playerCountryMember: string;
  /** The session id sent for a game opened without one: derived from the command's identity, or none. */
  readonly sessionId: 'derive' | 'omit';
  /**
   * Whether the `user-id` of a session must equal the requested one, or may be an id assigned by the
   * platform.
   */
  readonly sessionUserId: 'same' | 'any';
  /**
   * Whether a record that violates the interface document fails the report, or is passed on and listed in the
   * page's faults.
   */
  readonly reportRecords: 'strict' | 'lenient';
  /** Allowed schemes of launch URLs, in lower case. */
  readonly urlSchemes: readonly string[];
  /** Allowed hosts of launch URLs, in lower case. Default: any. */
  readonly urlHosts?: ReadonlySet<string> | undefined;
}

/** The credentials of one operator, and the platform they belong to. */
export interface OperatorCredentials {
  readonly name: string;
  /** `{base_url}` of the interface document: the root of the v2 endpoints. */
  readonly baseUrl: string;
  /** `{api_url}`: open-game is `{api_url}/apiweb/v3/open-game`. */
  readonly apiUrl: string;
  readonly clientId: string;
  /** The secret key. If absent, open-game is sent unsigned, and the v2 endpoints cannot be used. */
  readonly secretKey?: string | undefined;
  /** Decimals per currency, by the platform's currency name. Default: none are known. */
  readonly currencyPrecisions?: ReadonlyMap<string, number> | undefined;
  readonly settings: PlatformSettings;
}

export interface PlatformTransport {
  /** TLS context for `https` URLs. Default: Node.js's trusted authorities, and no client certificate. */
  readonly tls?: TlsContext | undefined;
  /** An HTTP proxy for all calls; its URL may contain a user name and password. Default: none. */
  readonly proxyUrl?: string | undefined;
  /** Default: the DNS cache of this process. */
  readonly dns?: DnsCache;
}

/** The limits of the calls for one operator. Source: bus contract, section 7. */
export interface PlatformLimits extends AdmissionLimits {
  readonly attemptTimeoutMs: number;
  /** Maximum attempts per command or page, including the first one. */
  readonly maxAttempts: number;
  readonly circuit: CircuitSettings;
}
