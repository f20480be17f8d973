import type { Clock } from '../../domain/clock.ts';
import type { NewId } from '../../domain/ids.ts';
import type { SearchType } from '../../domain/search-pulls/dimensions.ts';
import type {
  PullableProperties,
  PullCommands,
  PulledProperties,
  PullRunStore,
  SearchRowStore,
  SearchWindowStore,
} from '../../domain/search-pulls/ports.ts';
import type { SearchAnalytics } from '../../domain/search-pulls/vendor-ports.ts';

/** Everything the activities of pulls work with, built by a composition root in `workers/`. */
export interface SearchPullsActivityDeps {
  readonly properties: PullableProperties;
  readonly analytics: SearchAnalytics;
  readonly rows: SearchRowStore;
  readonly windows: SearchWindowStore;
  readonly runs: PullRunStore;
  readonly pulled: PulledProperties;
  readonly commands: Pick<PullCommands, 'holder' | 'pullAll'>;
  readonly newId: NewId;
  readonly now: Clock;
  readonly settings: SearchPullSettings;
}

export interface SearchPullSettings {
  /** SEARCH_PULL_TYPES */
  readonly types: readonly SearchType[];
  /** SEARCH_PULL_PARALLELISM: properties that are pulled at once. */
  readonly parallelism: number;
  /** After this, an attempt at a property lets others have its slot. */
  readonly attemptMs: number;
}
