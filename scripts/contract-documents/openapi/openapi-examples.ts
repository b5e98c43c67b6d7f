/** Bodies that the interface document describes, by the schema that they follow. */
export const OPENAPI_EXAMPLES = {
  SessionForm: { userId: 'player-1', nick: 'Ace', authType: 'external', lang: 'en', currency: 'EUR' },
  SessionDocument: {
    data: {
      id: 'EXAMPLE-TOKEN',
      type: 'session',
      attributes: {
        'user-id': 'player-1',
        'redirect-url': 'https://poker.example/lobby?auth=EXAMPLE-TOKEN&lang=en',
        auth: 'EXAMPLE-TOKEN',
        'session-id': '585fe9e9-36e4-4d01-9688-65b97f85199f',
      },
    },
  },
  OpenGameDocument: {
    data: {
      type: 'OpenGame',
      attributes: {
        session: {
          authType: 'external',
          tableId: 7,
          launchOptions: { restoreSessionUrl: 'https://operator.example/login' },
        },
        player: { id: 'player-1', nick: 'Ace' },
      },
    },
  },
  GameSessionDocument: {
    data: {
      id: '/apiweb/v3/game-sessions/operator-session-1',
      type: 'GameSession',
      attributes: {
        playerId: 'player-1',
        sessionId: 'operator-session-1',
        auth: 'EXAMPLE-TOKEN',
        url: 'https://poker.example/table/7?auth=EXAMPLE-TOKEN&lang=en',
      },
    },
  },
  ReportForm: { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00', currency: 'EUR' },
  AdHocReport: {
    data: [],
    links: { self: { href: 'https://poker.example/api/web/v2/app/reports/ad_hoc?clientId=sandbox&page=1' } },
    meta: { 'total-count': 0, 'page-count': 0, 'current-page': 1, 'per-page': 20 },
  },
  RakeReport: {
    data: [
      {
        type: 'players-rake',
        id: 'player-00000012-EUR',
        attributes: { 'user-id': 'player-00000012', currency: 'EUR', value: 28_831 },
      },
    ],
    links: {
      self: { href: 'https://poker.example/api/web/v2/app/users/rake?clientId=sandbox&page=1' },
      first: { href: 'https://poker.example/api/web/v2/app/users/rake?clientId=sandbox&page=1' },
      last: { href: 'https://poker.example/api/web/v2/app/users/rake?clientId=sandbox&page=1' },
    },
    meta: { 'total-count': 1, 'page-count': 1, 'current-page': 1, 'per-page': 20 },
  },
} as const;

const ATTRIBUTES = '/data/attributes';

/** Refusals of the interface document, by status; a name, the text, and where it points to. */
export const REFUSAL_EXAMPLES: Readonly<
  Record<number, Readonly<Record<string, { detail: string; pointer?: string }>>>
> = {
  400: { signature: { detail: 'Not Valid Request Signature' }, badRequest: { detail: 'Bad Request' } },
  403: { forbidden: { detail: 'Forbidden' } },
  404: { notFound: { detail: 'Not found' } },
  415: { mediaType: { detail: 'Unsupported Media Type' } },
  422: {
    authType: { detail: 'Auth type not valid', pointer: `${ATTRIBUTES}/authType` },
    currencyMissing: { detail: 'Currency cannot be blank', pointer: `${ATTRIBUTES}/currency` },
    currencyUnknown: { detail: 'Currency not found', pointer: `${ATTRIBUTES}/currency` },
    currencyInactive: { detail: 'This currency is not active', pointer: `${ATTRIBUTES}/currency` },
    nicknameTaken: {
      detail: 'A Player with this username already exists in the system.',
      pointer: `${ATTRIBUTES}/player/nick`,
    },
    nicknameTooLong: { detail: 'The maximum username length is 32', pointer: `${ATTRIBUTES}/player/nick` },
    incorrectData: { detail: 'Incorrect data', pointer: `${ATTRIBUTES}/dateTo` },
  },
  429: { tooMany: { detail: 'Too Many Requests' } },
  500: { failed: { detail: 'Internal Server Error' } },
};
