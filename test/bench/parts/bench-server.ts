import type { BackedUpServer } from '../../support/backed-up/server.ts';
import type { BackupsPlatform } from '../../support/backups-platform.ts';
import type { BareTools } from './bare-tools.ts';

/** A server whose databases are backed up, with what benches put into them. */
export interface BenchServer extends BackedUpServer {
  /** Fills a database with mixed data of so many MB: half of it does not compress, the rest compresses well. */
  fillMixed(database: string, megabytes: number): Promise<void>;
  /** One value for the mixed data: the same exactly when all of it is. */
  sumOfMixed(database: string): Promise<string>;
  /** Changes much of the mixed data. */
  changeMixed(database: string): Promise<void>;
  bytesOf(database: string): Promise<number>;
  bareTools(store: BackupsPlatform['store']): Promise<BareTools>;
}
