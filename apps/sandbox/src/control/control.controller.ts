import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { type FaultRule, FaultRules, type StandingRule } from '../faults/fault-rules.ts';
import { type Fault, FAULTS, type FaultKind } from '../faults/faults.ts';
import { anyValue, integer, number, oneOf, optional, text, textOf } from '../interface/members.ts';
import { type Player, Players } from '../players/players.ts';
import { Sessions } from '../sessions/sessions.ts';
import { Settings } from '../settings/settings.ts';
import { describeRequest, TrafficLog } from '../traffic/traffic-log.ts';
import { Problem, readControlBody } from './problem.ts';

const NAME = textOf(1, 255);
const NEW_PLAYER = {
  userId: NAME,
  nick: optional(NAME),
  currency: optional(text),
  preferredCurrency: optional(text),
  country: optional(text),
};
const SHOWN_PLAYERS = 100;

/**
 * Shows what the platform received, did and answered; adds players; plays faults; delays answers; resets it.
 */
@Controller('sandbox')
export class ControlController {
  constructor(
    private readonly settings: Settings,
    private readonly players: Players,
    private readonly sessions: Sessions,
    private readonly faults: FaultRules,
    private readonly log: TrafficLog,
  ) {}

  @Get('health')
  check() {
    return { status: 'ok' };
  }

  /**
   * Adds one player or a list. If a player cannot be added, the players before it in the list are still
   * added.
   */
  @Post('players')
  addPlayers(@Body() body: unknown): Player | Player[] {
    return Array.isArray(body)
      ? body.map((one, index) => this.addPlayer(one, `/${index}`))
      : this.addPlayer(body, '');
  }

  @Get('players')
  listPlayers() {
    const players = this.players.all();
    return { count: players.length, players: players.slice(0, SHOWN_PLAYERS) };
  }

  @Get('players/:userId')
  showPlayer(@Param('userId') userId: string, @Query('clientId') clientId = this.settings.clients[0].id) {
    const player = this.players.find(clientId, userId);
    if (!player) throw new Problem(404, 'There is no such player.');
    return player;
  }

  @Get('latency')
  showLatency(): Settings['latency'] {
    return this.faults.latency;
  }

  @Put('latency')
  changeLatency(@Body() body: unknown): Settings['latency'] {
    return (this.faults.latency = readControlBody(body, FAULTS.latency.members));
  }

  @Post('faults')
  addFault(@Body() body: unknown): StandingRule {
    return this.faults.add(readFaultRule(body));
  }

  @Get('faults')
  listFaults(): readonly StandingRule[] {
    return [...this.faults.rules.values()];
  }

  @Delete('faults')
  @HttpCode(204)
  removeFaults(): void {
    this.faults.rules.clear();
  }

  @Delete('faults/:id')
  @HttpCode(204)
  removeFault(@Param('id') id: string): void {
    if (!this.faults.rules.delete(id))
      throw new Problem(404, 'There is no such fault, or it has been used up.');
  }

  @Get('counters')
  counters() {
    return this.log.counters;
  }

  /** Returns the last 100 completed requests, newest first, without their signatures. */
  @Get('requests')
  requests() {
    return this.log.newest().map(describeRequest);
  }

  @Post('reset')
  @HttpCode(204)
  reset(): void {
    for (const part of [this.players, this.sessions, this.faults, this.log]) part.clear();
  }

  private addPlayer(body: unknown, at: string): Player {
    const { clients } = this.settings;
    const clientIds = oneOf(clients.map(({ id }) => id));
    const members = { ...NEW_PLAYER, clientId: optional(clientIds, clients[0].id) };
    const { userId, clientId, ...details } = readControlBody(body, members, at);
    if (details.nick !== undefined) this.players.checkNickname(clientId, userId, details.nick, `${at}/nick`);
    return this.players.save(clientId, userId, details);
  }
}

/**
 * Reads a requested fault: the requests that it applies to, and the members of its kind.
 * @throws Problem 422 with every violation
 */
export function readFaultRule(body: unknown): FaultRule {
  const kinds = Object.keys(FAULTS) as FaultKind[];
  const kind = kinds.find((each) => each === (body as { kind?: unknown } | null | undefined)?.kind);
  if (!kind) {
    const violation = { pointer: '/kind', message: `must be one of ${kinds.join(', ')}` };
    throw new Problem(422, 'There is no such fault.', [violation]);
  }
  const { operations, members } = FAULTS[kind];
  const { operation, count, share, ...fault } = readControlBody(body, {
    ...members,
    kind: anyValue,
    operation: optional(oneOf(operations)),
    count: optional(integer(1)),
    share: optional(number(0.000_001, 1)),
  });
  return { operation, count, share, fault: fault as Fault };
}
