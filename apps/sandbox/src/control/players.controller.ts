import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { text, textOf } from '../interface/members.ts';
import { Players, type Player } from '../players/players.ts';
import { Settings } from '../settings/settings.ts';
import { checkBody, Problem } from './problem.ts';

const NAME = textOf(1, 255);
const NEW_PLAYER = {
  required: { userId: NAME },
  optional: { clientId: text, nick: NAME, currency: text, preferredCurrency: text, country: text },
};

type NewPlayer = Pick<Player, 'userId'> & Partial<Omit<Player, 'profile'>>;

/** Adds players without a session, and lists them. */
@Controller('sandbox/players')
export class PlayersController {
  /** The client of SANDBOX_CLIENT_ID. */
  private readonly mainClientId: string;

  constructor(
    private readonly settings: Settings,
    private readonly players: Players,
  ) {
    this.mainClientId = (settings.clients[0] as { id: string }).id;
  }

  /** Adds one player or a list; if one cannot be added, those before it are. */
  @Post()
  add(@Body() body: unknown): Player | Player[] {
    return Array.isArray(body)
      ? body.map((one, index) => this.addOne(one, `/${index}`))
      : this.addOne(body, '');
  }

  @Get()
  list() {
    return { count: this.players.count, players: [...this.players.all()].slice(0, 100) };
  }

  @Get(':userId')
  show(@Param('userId') userId: string, @Query('clientId') clientId = this.mainClientId): Player {
    const player = this.players.find(clientId, userId);
    if (!player) throw new Problem(404, 'There is no such player.');
    return player;
  }

  private addOne(body: unknown, at: string): Player {
    const { userId, clientId = this.mainClientId, ...details } = checkBody<NewPlayer>(body, NEW_PLAYER, at);
    if (!this.settings.clients.some(({ id }) => id === clientId)) {
      const violation = { pointer: `${at}/clientId`, message: 'is not known' };
      throw new Problem(422, 'There is no such client.', [violation]);
    }
    if (details.nick !== undefined) this.players.checkNickname(clientId, userId, details.nick, `${at}/nick`);
    return this.players.save(clientId, userId, details);
  }
}
