import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

import { parse, stringify } from 'yaml';

import { freePorts, isAnswered } from '../../scripts/network.ts';
import { read } from '../docs/markdown.ts';
import { Program } from '../../scripts/processes/program.ts';
import { LoopbackServer } from './loopback-server.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

/** The Alertmanager of Debian's package prometheus-alertmanager. */
const ALERTMANAGER = '/usr/bin/prometheus-alertmanager';

export interface Notification {
  readonly receiver: string;
  readonly alerts: readonly { readonly labels: Readonly<Record<string, string>> }[];
}

interface Config {
  readonly route: { readonly routes: readonly object[] };
  readonly receivers: readonly { readonly name: string }[];
}

/** Receives the notifications of Alertmanager as a webhook. */
class Receiver extends LoopbackServer {
  readonly notifications: Notification[] = [];

  protected override async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.notifications.push((await json(request)) as Notification);
    response.end();
  }
}

/**
 * An Alertmanager on loopback with the routes and inhibit rules of deploy/, and a group wait of one second.
 */
export class AlertmanagerProcess extends Program {
  private constructor(
    readonly url: string,
    readonly receiver: Receiver,
    readonly data: TemporaryFolder,
    args: readonly string[],
  ) {
    super(ALERTMANAGER, args, { PATH: process.env['PATH'] });
  }

  static async start(): Promise<AlertmanagerProcess> {
    const [port = 0] = await freePorts(1);
    const receiver = await Receiver.start();
    const folder = temporaryFolder();
    const config = parse(read('deploy/prometheus/alertmanager.yml')) as Config;
    const routes = config.route.routes.map((route) => ({ ...route, group_wait: '1s' }));
    const webhook_configs = [{ url: receiver.origin }];
    const file = folder.write(
      'alertmanager.yml',
      stringify({
        ...config,
        route: { ...config.route, group_wait: '1s', routes },
        receivers: config.receivers.map(({ name }) => ({ name, webhook_configs })),
      }),
    );
    const url = `http://127.0.0.1:${port}`;
    const started = new AlertmanagerProcess(url, receiver, folder, [
      `--config.file=${file}`,
      `--storage.path=${folder.path}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ]);
    await started.until('become ready', () => isAnswered(`${url}/-/ready`));
    return started;
  }

  /** Posts alerts as Prometheus does. */
  async fire(alerts: readonly Readonly<Record<string, string>>[]): Promise<void> {
    const response = await fetch(`${this.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alerts.map((labels) => ({ labels }))),
    });
    if (!response.ok) throw new Error(`alerts refused: ${response.status} ${await response.text()}`);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.receiver[Symbol.asyncDispose]();
    this.data[Symbol.dispose]();
  }
}
