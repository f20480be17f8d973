import { type AllowedCallers, admits } from '../api/http/allowed-callers.ts';
import type { PageContext } from './page.ts';

/** Who changes what an org has. */
export const MEMBERS = { 'platform-admin': true, user: 'member' } as const satisfies AllowedCallers;

/** The service decides who may; pages leave out what it would refuse. */
export function mayChange({ person }: Pick<PageContext, 'person'>): boolean {
  return admits(MEMBERS, person);
}
