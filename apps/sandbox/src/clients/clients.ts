import type { Client } from './client.ts';

/** The operators that may call the platform, by their public identifier. */
export class Clients {
  private readonly byId: ReadonlyMap<string, Client>;

  constructor(clients: readonly Client[]) {
    this.byId = new Map(clients.map((client) => [client.id, client]));
  }

  find(id: string): Client | undefined {
    return this.byId.get(id);
  }

  all(): readonly Client[] {
    return [...this.byId.values()];
  }
}
