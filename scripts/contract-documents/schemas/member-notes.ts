type Notes = Readonly<Record<string, string>>;

const AD_HOC: Notes = {
  dateFrom: 'Start of the period, YYYY-MM-DD HH:MM:SS.',
  dateTo: 'End of the period, after dateFrom.',
  userId: 'One player; without it all of them.',
  currency: 'ISO code.',
  page: 'That page alone; without it every page is fetched.',
  perPage: 'Default REPORTS_PER_PAGE; the platform may give less.',
};

/** What a member is for, by the class of the contracts that has it. */
const NOTES: Readonly<Record<string, Notes>> = {
  SessionCreate: {
    userId: 'The player.',
    nick: 'The nickname that other players see.',
    authType: "A browser (external, the platform's default), or the desktop or mobile app.",
    lang: "Two letters, ISO 639-1; the platform's default is en.",
    currency: 'ISO code; a platform may require it.',
  },
  GamePlayer: {
    id: 'The player.',
    nick: 'The nickname that other players see.',
    name: "The player's name.",
    email: 'E-mail address.',
    referredBy: 'User name of the referrer.',
    referralCode: 'Referral code of the referrer.',
    bonusCode: 'Affiliate bonus code.',
    avatar: "The player's own avatar, or a preset one.",
    phoneNumber: 'Telephone number.',
    tag: "The player's tag.",
    active: 'Whether the account is activated.',
    verified: 'Whether the player is verified.',
    trustedLevel: 'Id of the trusted level.',
    currency: 'ISO code.',
    preferredCurrency: 'ISO code.',
    country: 'ISO code; sent under the name in PLAYER_COUNTRY_MEMBER.',
  },
  GameSession: {
    id: 'Default: derived from operator and command id, so that a repeat opens the same session.',
    authType: "A browser (external, the platform's default), or the desktop or mobile app.",
    tableId: 'The table; without it the lobby opens.',
    lang: 'Two letters, ISO 639-1.',
    longLifeLoginToken: "The platform's default is true.",
    userIp: "The player's IP address.",
  },
  AdHocReportFetch: AD_HOC,
  RakeReportFetch: {
    ...AD_HOC,
    timeZone: "A zone's name, or an offset such as +03:00.",
    convertToPreferredCurrency: 'The interface does not say which values count.',
    sort: 'The field to sort by; the interface shows no syntax.',
  },
};

/** What a member is for; `undefined` where its schema says it by itself. */
export function noteOf(className: string, member: string): string | undefined {
  return NOTES[className]?.[member];
}
