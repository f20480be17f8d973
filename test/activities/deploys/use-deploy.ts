import type { DeploySettings } from '../../../activities/deploys/deps.ts';
import type { ServiceChanges } from '../../../domain/catalog/ports.ts';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { buildRecord, buildRequest } from '../../ports/records.ts';
import { createInMemoryDeploys } from '../../support/in-memory/deploys-deps.ts';
import { type RecordedStep, recordingStep } from './step-context.ts';

export interface Given {
  readonly settings?: Partial<DeploySettings>;
  readonly build?: Partial<BuildRequest>;
  readonly service?: ServiceChanges;
  /** True when the record of the build is there. */
  readonly opened?: boolean;
}

/** Parts in memory, a service of the org `acme`, and a build of it by one of its people. */
export async function useDeploy(given: Given = {}) {
  const parts = createInMemoryDeploys(given.settings);
  const build = buildRequest({ serviceId: 'svc_hello', service: 'hello', org: 'acme', ...given.build });
  const { serviceId: id, service: name } = build;
  await parts.services.upsert({ id, name, org: 'acme' }, given.service ?? {});
  if (given.opened === true) {
    const { environment, kind, source, releaseId } = build;
    await parts.builds.create(buildRecord({ id: build.buildId, service: name, environment, kind, source, releaseId }));
  }
  return {
    parts,
    build,
    /** Another attempt of a step. */
    attempt: (facts: BuildFacts = {}, signal?: AbortSignal): RecordedStep => recordingStep(build, facts, signal),
    /** Puts a file into the build's source. */
    plant: (path: string, text: string) =>
      parts.files.put(`${parts.workspace.directory(build.buildId)}/${path}`, { kind: 'file', text, mode: 0o644 }),
  };
}
