import { beforeAll, describe, expect, it, jest } from '@jest/globals';

import { Program } from '../../../scripts/processes/program.ts';
import { PAGE_CAP, realProfileForAll, RECORDS } from '../../e2e/commands/real-profile.ts';
import { DAY } from '../../support/platform-answers.ts';
import { installPythonClient } from '../../support/python-client.ts';
import { folderForAll } from '../../support/suite-service.ts';

jest.setTimeout(300_000);

/** Runs all four commands, and prints each result as one line of JSON. */
const PROGRAM = `import json, os
from poker_bridge import Caller, CallerError

prefix = os.environ["AMQP_PREFIX"]
period = json.loads(os.environ["PERIOD"])


def show(**members):
    print(json.dumps(members), flush=True)


def code_of(player):
    try:
        caller.open_game({"player": player})
    except CallerError as error:
        show(code=error.code, pointers=[each["pointer"] for each in error.violations])


with Caller(os.environ["AMQP_URL"], "shop", instance=prefix, prefix=prefix) as caller:
    session = caller.create_session({"userId": "player-00000007", "currency": "EUR"})
    show(userId=session["userId"], platformUserId=session["platformUserId"])
    show(playerId=caller.open_game({"player": {"id": "ada", "nick": "Ace", "currency": "EUR"}})["playerId"])
    code_of({"id": "bob", "nick": "Ace", "currency": "EUR"})
    code_of({"id": "bob"})
    for fetch in (caller.fetch_ad_hoc_report, caller.fetch_rake_report):
        report = fetch(period)
        sizes = [len(page["records"]) for page in report]
        show(sizes=sizes, summary=report.summary)
    show(userId=caller.create_session({"userId": "ada", "currency": "EUR"})["userId"])
`;

/** The page sizes of a complete report, and its summary. */
function reportOf(records: number) {
  const whole = Array.from({ length: Math.floor(records / PAGE_CAP) }, () => PAGE_CAP);
  const summary = { records, totalCount: records, missing: 0, repeated: 0, faults: 0 };
  return { sizes: [...whole, records % PAGE_CAP], summary: expect.objectContaining(summary) };
}

describe('poker_bridge, on the profile of the real platform', () => {
  const folder = folderForAll();
  let python: string;
  beforeAll(async () => void (python = await installPythonClient(folder.path)));
  const sandboxed = realProfileForAll();

  it('serves all four commands of a caller', async () => {
    const { url, prefix } = sandboxed.service;
    const file = folder.write('real_profile.py', PROGRAM);
    const variables = { AMQP_URL: url, AMQP_PREFIX: prefix, PERIOD: JSON.stringify(DAY) };
    const { code, stdout, stderr } = await new Program(python, [file], variables).result;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { userId: 'player-00000007', platformUserId: '7' },
      { playerId: 'ada' },
      { code: 'NICKNAME_TAKEN', pointers: ['/player/nick'] },
      { code: 'CURRENCY_REQUIRED', pointers: [expect.any(String)] },
      reportOf(RECORDS),
      reportOf(RECORDS / 2),
      { userId: 'ada' },
    ]);
  });
});
