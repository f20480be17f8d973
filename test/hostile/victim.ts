import { randomBytes } from 'node:crypto';
import { api, completed, createService, type TriggerReply, visit } from '../e2e/harness.ts';
import { containersOf, docker } from '../e2e/sample-service.ts';
import { archiveOf } from './attacker.ts';
import { VICTIM_ORG } from './hostile-stack.ts';

/** A service of another org that serves while the platform is attacked. */
export interface Victim {
  readonly name: string;
  /** Name and id of its image. */
  readonly image: string;
  readonly imageId: string;
  /** Id of its container. */
  readonly containerId: string;
  readonly secrets: Readonly<Record<'victimConfig' | 'victimSecret' | 'victimImage', string>>;
  /** What is recorded of it, and what it answers: the same at all times. */
  readonly look: () => Promise<string>;
}

const planted = (kind: string): string => `canary${kind}${randomBytes(16).toString('hex')}`;

export async function deployVictim(): Promise<Victim> {
  const name = 'victim-shop';
  const secrets = { victimConfig: planted('config'), victimSecret: planted('secret'), victimImage: planted('image') };
  const config = { GREETING: secrets.victimConfig };
  await createService(name, { org: VICTIM_ORG, config, secrets: { PAYMENT_KEY: secrets.victimSecret } });
  const archive = await archiveOf({ secret: secrets.victimImage });
  const { data } = await api<TriggerReply>('POST', `/builds/upload?service=${name}`, archive);
  await completed(data.buildId);
  const [container] = await containersOf(data.buildId);
  if (container === undefined) throw new Error('the victim has no container');
  const look = async (): Promise<string> => {
    const paths = [`/services/${name}`, `/services/${name}/releases`, `/builds?service=${name}`];
    const records = await Promise.all(paths.map((path) => api('GET', path)));
    const { State } = await docker.getContainer(container.Id).inspect();
    const answer = await visit(name);
    return JSON.stringify([records, State.StartedAt, State.Running, answer]);
  };
  return {
    ...{ name, secrets, look },
    ...{ image: container.Image, imageId: container.ImageID, containerId: container.Id },
  };
}
