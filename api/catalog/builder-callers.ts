import type { OrgRole } from '../../domain/roles.ts';
import { type AllowedCallers, PLATFORM } from '../http/allowed-callers.ts';

/**
 * Who may call the builder's routes (spec 2, "Authentication", 1): the platform, people by their role in their org, and
 * services of an org by the scope of their token. No scope makes a service an admin of its org.
 */
export const BUILDER_CALLERS: Readonly<Record<OrgRole, AllowedCallers>> = {
  viewer: { ...PLATFORM, user: 'viewer', service: { scopes: ['builder:read', 'builder:write'] } },
  member: { ...PLATFORM, user: 'member', service: { scopes: ['builder:write'] } },
  admin: { ...PLATFORM, user: 'admin' },
};
