import type { Clock } from '../../domain/clock.ts';
import type { DeployRecordStore, EntryStore, PackageChangelogStore } from '../../domain/registry/ports.ts';

/** What the routes of the service registry work with. */
export interface RegistryDeps {
  readonly entries: EntryStore;
  readonly deploys: DeployRecordStore;
  readonly packages: PackageChangelogStore;
  readonly now: Clock;
}
