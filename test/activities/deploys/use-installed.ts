import type { TestDeclaration } from '../../../domain/catalog/catalog.ts';
import type { BuildRecord } from '../../../domain/deploys/build.ts';
import { buildRecord, catalogRecord, releaseRecord } from '../../ports/records.ts';
import { workloadSpec } from '../../ports/workload-runtime.ts';
import { useDeploy } from './use-deploy.ts';

const IMAGE = 'registry.example/hello@sha256:1';

/** A service of which a release serves, and a build that has installed the next one. */
export async function useInstalled(tests: readonly TestDeclaration[], before: Partial<BuildRecord> = {}) {
  const deploy = await useDeploy({ opened: true });
  const { parts, build } = deploy;
  const { service, environment, serviceId } = build;
  parts.registry.put(IMAGE, () => ({
    output: [],
    listener: (path) => ({ status: path === '/' ? 200 : 500, body: 'hi' }),
    ended: null,
  }));
  const start = async (buildId: string, releaseId: string) => {
    const workload = await parts.runtime.start(
      workloadSpec(IMAGE, { service, environment, buildId, releaseId }),
      deploy.attempt(),
    );
    await parts.releases.put(releaseRecord({ id: releaseId, buildId, service, environment, serviceId, secrets: {} }));
    return workload;
  };
  await parts.builds.create(buildRecord({ id: 'bld_old', service, environment, status: 'completed', ...before }));
  const epoch = await parts.epochs.next(build);
  const old = await start('bld_old', 'rel_old');
  await parts.releases.activate('rel_old', { at: parts.now(), epoch, buildId: 'bld_old' });
  const releaseId = build.buildId.replace('bld_', 'rel_');
  const workload = await start(build.buildId, releaseId);
  await parts.builds.giveEpoch(build.buildId, await parts.epochs.next(build));
  const record = await parts.builds.find(build.buildId);
  const target = { workloadId: workload.id, address: workload.address };
  await parts.edge.route(service, environment, target, record?.epoch ?? 0);
  const facts = { releaseId, workloadId: workload.id, catalog: catalogRecord({ tests }) };
  const serving = async () => ({
    active: (await parts.releases.active(service, environment))?.id,
    routed: (await parts.edge.current(service, environment))?.workloadId,
    running: (await parts.runtime.list(service, environment)).map(({ id }) => id).sort(),
  });
  return { ...deploy, before: old, workload, facts, serving, releaseId };
}
