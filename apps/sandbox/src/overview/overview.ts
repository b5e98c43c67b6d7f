import { Injectable } from '@nestjs/common';
import { FaultRules } from '../faults/fault-rules.ts';
import { Players } from '../players/players.ts';
import { Sessions } from '../sessions/sessions.ts';
import { TrafficLog } from '../traffic/traffic-log.ts';
import { faultList } from './fault-list.ts';
import { figures } from './figures.ts';
import { playerList, sessionList } from './people.ts';
import { requestList } from './request-list.ts';

const SHOWN_PEOPLE = 10;
const SHOWN_REQUESTS = 30;

/** The parts of the page that change while it is open, as HTML by their names. */
export type Parts = Readonly<Record<'figures' | 'faults' | 'requests' | 'sessions' | 'players', string>>;

/** What happens in the sandbox now, for its first page. */
@Injectable()
export class Overview {
  constructor(
    private readonly faults: FaultRules,
    private readonly log: TrafficLog,
    private readonly players: Players,
    private readonly sessions: Sessions,
  ) {}

  parts(): Parts {
    const { players, sessions } = this;
    const playerOf = ({ clientId, userId }: { clientId: string; userId: string }) =>
      players.find(clientId, userId);
    const newest = sessions.newest(SHOWN_PEOPLE);
    return {
      figures: figures(this.log.counters()).text,
      faults: faultList(this.faults.list()).text,
      requests: requestList(this.log.newest(SHOWN_REQUESTS)).text,
      sessions: sessionList(newest, sessions.count, playerOf, Date.now()).text,
      players: playerList(players.newest(SHOWN_PEOPLE), players.count).text,
    };
  }
}
