import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { healthy, playerOf } from '../../support/platform-answers.ts';
import type { PlatformBehaviour } from '../../support/platform-stub.ts';

const ANSWER_MS = 20;
const RECORDS = 1;

/** A platform whose sessions and games always work, and whose reports do what the test sets. */
export class LanesPlatform {
  #reports: PlatformBehaviour = healthy(RECORDS);
  /** The most reports in flight at once so far. */
  mostReports = 0;
  readonly #underWay = new Set<ServerResponse>();
  readonly #held: Parameters<PlatformBehaviour>[] = [];

  readonly behaviour: PlatformBehaviour = async (request, response, socket) => {
    if (playerOf(request) === undefined) return this.#report(request, response, socket);
    await sleep(ANSWER_MS);
    await healthy()(request, response, socket);
  };

  /** Reports that wait for `play`. */
  get held(): number {
    return this.#held.length;
  }

  /** Keeps the reports that come. */
  hold(): void {
    this.#reports = (...report) => void this.#held.push(report);
  }

  /** Does so to the reports that were kept, and to those to come. */
  play(behaviour: PlatformBehaviour): void {
    this.#reports = behaviour;
    for (const report of this.#held.splice(0)) void behaviour(...report);
  }

  /** Releases every report in flight, and answers later ones. */
  heal(): void {
    this.play(healthy(RECORDS));
    for (const response of this.#underWay) response.destroy();
  }

  #report(...[request, response, socket]: Parameters<PlatformBehaviour>): void {
    this.#underWay.add(response);
    response.on('close', () => this.#underWay.delete(response));
    this.mostReports = Math.max(this.mostReports, this.#underWay.size);
    void this.#reports(request, response, socket);
  }
}
