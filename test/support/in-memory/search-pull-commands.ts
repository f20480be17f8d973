import { FairleadError } from '../../../domain/errors.ts';
import type { PullCommands } from '../../../domain/search-pulls/ports.ts';
import type { PropertyPull } from '../../../domain/search-pulls/pull-run.ts';

/** Pulls that nobody carries out: they hold the lease until `end`. */
export interface InMemoryPullCommands extends PullCommands {
  /** Whether a worker has the account of the search engine. */
  served: boolean;
  /** What a pull of one property does; it takes no time. */
  pull: (property: string) => Promise<PropertyPull | null>;
  end(): void;
}

export function createInMemoryPullCommands(): InMemoryPullCommands {
  let holder: string | null | undefined;
  const take = (by: string | null): void => {
    if (holder !== undefined) {
      const details = holder === null ? {} : { details: { jobId: holder } };
      throw new FairleadError('PULL_IN_PROGRESS', 'A search pull is running: wait for its end', details);
    }
    holder = by;
  };
  const commands: InMemoryPullCommands = {
    served: true,
    isServed: async () => commands.served,
    pull: async () => ({ days: 3, rows: 120, truncatedDays: 0 }),
    end() {
      holder = undefined;
    },
    async pullAll({ id }) {
      take(id);
    },
    async pullOne({ property }) {
      take(null);
      try {
        return await commands.pull(property);
      } finally {
        commands.end();
      }
    },
    holder: async () => holder,
  };
  return commands;
}
