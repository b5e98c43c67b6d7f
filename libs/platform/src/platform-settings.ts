import type { AdmissionLimits, CircuitSettings } from '#resilience';
import type { SignatureSettings } from '#signing';
import type { TlsContext } from '#tls';

import type { DnsCache } from './transport/dns-cache.ts';

/** What the interface document leaves open, by operator. Source: bus contract, section 6. */
export interface PlatformSettings extends SignatureSettings {
  /** Where the rake read carries its form data: in the body of its GET, in the query, or in both. */
  readonly rakeParametersIn: 'form' | 'query' | 'both';
  /** Members beyond the interface document that may be sent, such as `game.open/player/city`. Default: none. */
  readonly extraMembers?: ReadonlySet<string> | undefined;
  /** The value of the query parameter `client` of open-game. Default: the client id. */
  readonly clientKey?: string | undefined;
  /** The header `user-agent` of every request. */
  readonly userAgent: string;
  /** The name under which the player's country is sent. */
  readonly playerCountryMember: string;
  /** Whether a game that is opened without a session id is sent one that is derived from the command's identity, or none. */
  readonly sessionId: 'derive' | 'omit';
  /** Whether the `user-id` of a session has to be the one that was asked for, or may be one of the platform's own. */
  readonly sessionUserId: 'same' | 'any';
  /** Whether a record that is not as the interface document has it fails its report, or is passed on and named in the page's faults. */
  readonly reportRecords: 'strict' | 'lenient';
  /** Schemes of the URLs that a player may be sent to, in lower case. */
  readonly urlSchemes: readonly string[];
  /** Hosts that a player may be sent to, in lower case; default any. */
  readonly urlHosts?: ReadonlySet<string> | undefined;
}

/** The credentials of one operator, and the platform that they are for. */
export interface OperatorCredentials {
  readonly name: string;
  /** `{base_url}` of the interface document: the root of the v2 endpoints. */
  readonly baseUrl: string;
  /** `{api_url}`: open-game is `{api_url}/apiweb/v3/open-game`. */
  readonly apiUrl: string;
  readonly clientId: string;
  /** Absent: open-game is sent unsigned, and the v2 endpoints cannot be used. */
  readonly secretKey?: string | undefined;
  /** Decimals by currency, as the platform names it; default: none are known. */
  readonly currencyPrecisions?: ReadonlyMap<string, number> | undefined;
  readonly settings: PlatformSettings;
}

/** How the platform is connected to. */
export interface PlatformTransport {
  /** For `https` addresses. Default: what Node.js trusts, and no client certificate. */
  readonly tls?: TlsContext | undefined;
  /** An HTTP proxy for all calls; it may hold a user name and a password. Default: none. */
  readonly proxyUrl?: string | undefined;
  /** Default: the one of this process. */
  readonly dns?: DnsCache;
}

/** The limits of the calls for one operator. Source: bus contract, section 7. */
export interface PlatformLimits extends AdmissionLimits {
  readonly attemptTimeoutMs: number;
  /** For one command or page, the first one included. */
  readonly maxAttempts: number;
  readonly circuit: CircuitSettings;
}
