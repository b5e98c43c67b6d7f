import { AUTH_TYPE, describeMembers, LANGUAGE, PLAYER_ID, TEXT } from './member-kinds.fixture.ts';

describeMembers('session.create', {
  'userId!': PLAYER_ID,
  nick: TEXT,
  authType: AUTH_TYPE,
  lang: LANGUAGE,
  currency: TEXT,
});
