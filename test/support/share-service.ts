import type { ServiceStore } from '../../domain/catalog/ports.ts';

/** Lets exactly these orgs share a service, whoever shared it before. */
export async function shareService(
  services: Pick<ServiceStore, 'find' | 'setSharing'>,
  id: string,
  orgs: readonly string[],
): Promise<void> {
  const service = await services.find(id);
  if (service === null) throw new Error(`there is no service ${id}`);
  const at = new Date('2026-01-01T00:00:00Z');
  const sharing = {
    revision: service.sharing.revision + 1,
    orgs: orgs.map((org) => ({ org, repoRole: 'write', authorizedBy: 'usr_ada', authorizedAt: at }) as const),
    lastChange: null,
  };
  if (!(await services.setSharing(id, sharing, service.sharing.revision)))
    throw new Error(`${id} was changed meanwhile`);
}
