import type { Clock } from '../../domain/clock.ts';
import type { NewId } from '../../domain/ids.ts';
import type { PropertyStore } from '../../domain/properties/ports.ts';
import type { PullCommands, PullRunStore, SearchRowStore, SearchWindowStore } from '../../domain/search-pulls/ports.ts';

/** What the routes of search numbers work with. */
export interface SearchPullsDeps {
  readonly properties: Pick<PropertyStore, 'find'>;
  readonly searchRows: SearchRowStore;
  readonly searchWindows: SearchWindowStore;
  readonly pullRuns: PullRunStore;
  readonly pullCommands: PullCommands;
  readonly newId: NewId;
  readonly now: Clock;
}
