import type { Environment } from '../environment.ts';
import type { Page, PageRequest } from '../page.ts';

/** Who changed which variables of a service: names, never values. */
export interface VariableHistoryEntry {
  /** `chg_…` */
  readonly id: string;
  readonly serviceId: string;
  /** Null for the variables of all environments. */
  readonly environment: Environment | null;
  readonly changedBy: string;
  readonly at: Date;
  readonly set: readonly string[];
  readonly setSecret: readonly string[];
  readonly unset: readonly string[];
  /** False until the change took effect: one that stays so failed, or its process was killed between the two writes. */
  readonly made: boolean;
}

/** Kept before the change that it tells of, so that no change is without an entry. */
export interface VariableHistory {
  /** Idempotent on the id. @throws UNAVAILABLE */
  begin(entry: Omit<VariableHistoryEntry, 'made'>): Promise<void>;
  /** The change took effect. No error when there is no such entry. */
  confirm(id: string): Promise<void>;
  /** Newest first. */
  list(serviceId: string, page: PageRequest): Promise<Page<VariableHistoryEntry>>;
  /** Forgets a service that is gone. */
  removeService(serviceId: string): Promise<void>;
}
