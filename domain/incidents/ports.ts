/**
 * The module `incidents`: outages, from the second failed check until they end, and what people say of them.
 *
 * Keying: one incident a (monitor, sequence): the workflow `incident/<id>` runs once for it, whoever starts it how often. Of
 * thousands at once, all are on record and told before the first of their workflows begins, which they do in turn.
 * Where the org has a policy of escalation, the incident keeps it as it was when it began, and who was told when: the workflow waits for
 * each step by what is on record.
 * Retries: all its activities write by that id; each notice has an id of its own, made of the incident's.
 * Compensation: none.
 */

import type { Page, PageRequest } from '../page.ts';
import type { Incident } from './incident.ts';

export interface IncidentFilter {
  /** Null for all orgs. */
  readonly org: string | null;
  readonly open?: boolean;
  /** Null for those that people wrote. */
  readonly monitorId?: string | null;
  readonly publicOnly?: boolean;
}

/** How much of each incident is read. */
export interface IncidentPart {
  /** So many of its updates, the newest. */
  readonly newestUpdates: number;
}

/** Incidents, as their workflows write them. @throws UNAVAILABLE (retryable) from every method */
export interface IncidentStore {
  find(id: string): Promise<Incident | null>;
  /** Newest first. @param part all of each where it is left out */
  list(filter: IncidentFilter, page: PageRequest, part?: IncidentPart): Promise<Page<Incident>>;
  /**
   * Writes many that are new, before their workflows begin; those of ids that are there stay as they are.
   * @returns those on record, in the same order
   */
  announce(incidents: readonly Incident[]): Promise<readonly Incident[]>;
  /** Writes one that is new, by its workflow; one of that id that is there stays as it is. */
  insert(incident: Incident): Promise<void>;
  /** Whether its workflow has begun, and written it. */
  isBegun(id: string): Promise<boolean>;
  /**
   * Writes it whole, over one with fewer changes where there is one; one with as many, or more, stays as it is. The workflow of
   * the id is its only writer, and an attempt of it may come late.
   */
  put(incident: Incident): Promise<void>;
}
