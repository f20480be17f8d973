import { setTimeout as delay } from 'node:timers/promises';
import { createDockerClient } from '../../adapters/docker/docker-client.ts';
import { startCli } from '../cli/run-cli.ts';
import { api, type Build, connection, ended, getBuild, removeService, uniqueName, visit } from '../e2e/harness.ts';
import { checkout } from './checkout.ts';
import { type ImageSizes, imageSizes, removeImages } from './images.ts';
import type { CorpusRow } from './repositories.ts';
import type { Sample } from './samples.ts';

/** What the deploys of one repository came to. */
export interface Outcome {
  /** `live`, or what the person read. */
  readonly got: string;
  /** Why that is not what was expected; null when it is. */
  readonly wrong: string | null;
  /** The first build, from its start to its end; null when it did not end. */
  readonly firstSeconds: number | null;
  /** The second build, after a change of one line; null without one. */
  readonly secondSeconds: number | null;
  /** From the end of the image's push to the end of a build that failed after it. */
  readonly diagnosedSeconds: number | null;
  readonly sizes: ImageSizes | null;
}

export interface DeployOptions {
  /** Deploys it once more after a change of one line. */
  readonly twice: boolean;
  /** Longest time that one deploy may take. */
  readonly limitMs: number;
}

type Expectation = Pick<CorpusRow, 'framework' | 'expected' | 'shows'>;

/** A deploy that fails once its image is there says why within this time. */
const DIAGNOSIS_SECONDS = 20;
const docker = createDockerClient(process.env.DOCKER_HOST);

/** Deploys a repository on the running stack by the command line, as its owner would, visits it and removes it again. */
export async function deployRepository(row: CorpusRow | Sample, { twice, limitMs }: DeployOptions): Promise<Outcome> {
  const name = uniqueName('corpus');
  await using source = await checkout(row);
  try {
    const { build, read } = await deploy(name, source.app, limitMs);
    const live = build?.status === 'completed';
    const diagnosedSeconds = build === null || live ? null : secondsAfterPush(build);
    const wrong = live ? await wrongWhenLive(row, name) : wrongWhenFailed(row, read, diagnosedSeconds);
    const outcome = { wrong, firstSeconds: secondsOf(build), secondSeconds: null, diagnosedSeconds };
    const sizes = build === null ? null : await imageSizes(docker, build.id);
    if (!live) return { ...outcome, got: read, sizes };
    if (!twice) return { ...outcome, got: 'live', sizes };
    await source.changeOneLine();
    const second = await deploy(name, source.app, limitMs);
    if (second.build?.status === 'completed') {
      return { ...outcome, got: 'live', sizes, secondSeconds: secondsOf(second.build) };
    }
    return { ...outcome, got: 'live', sizes, wrong: `after a change of one line: ${second.read}` };
  } finally {
    await removeService(name);
    await removeImages(docker, name);
  }
}

/** One deploy, followed to its end or to the limit, and what the person reads of it. */
async function deploy(name: string, app: string, limitMs: number): Promise<{ build: Build | null; read: string }> {
  const { api: url, key } = await connection();
  const args = ['deploy', app, '--git', '--name', name, '--json'];
  const cli = startCli({ url }, args, { env: { FAIRLEAD_KEY: key } });
  const limit = new AbortController();
  const over = delay(limitMs, 'over' as const, { signal: limit.signal }).catch(() => null);
  const result = await Promise.race([cli.done, over]);
  limit.abort();
  const id = /"buildId":"([^"]+)"/.exec(cli.text())?.[1];
  if (result === 'over') {
    cli.child.kill('SIGINT');
    await cli.done;
    if (id !== undefined) {
      await api('POST', `/builds/${id}/cancel`);
      await ended(id);
    }
    return { build: null, read: `not at its end after ${limitMs / 1000} s` };
  }
  if (id === undefined) return { build: null, read: cli.text().trim() };
  const build = await getBuild(id);
  const diagnosis = build.diagnostics.flatMap(({ title, lines }) => [title, ...lines]);
  return { build, read: [build.failure?.message ?? build.status, ...diagnosis].join('\n') };
}

async function wrongWhenLive({ framework, expected, shows }: Expectation, name: string): Promise<string | null> {
  if (expected !== 'live') return 'it is live, though it cannot be of use';
  const { status, body } = await visit(name);
  // An API need not have a first page, a site must.
  const isSite = framework === 'static' || framework === 'nextjs' || shows !== undefined;
  if (status >= (isSite ? 400 : 500)) return `its first page answers ${status}`;
  return shows === undefined || shows.test(body) ? null : `its first page lacks ${shows.source}`;
}

function wrongWhenFailed({ expected }: Expectation, read: string, seconds: number | null): string | null {
  if (expected === 'live') return 'it is not live';
  if (!expected.test(read)) return `the diagnosis lacks ${expected.source}`;
  return seconds !== null && seconds > DIAGNOSIS_SECONDS ? `the diagnosis took ${Math.round(seconds)} s` : null;
}

function secondsOf(build: Build | null): number | null {
  return build?.durationMs == null ? null : build.durationMs / 1000;
}

function secondsAfterPush({ steps, finishedAt }: Build): number | null {
  const pushed = steps.find(({ key, state }) => key === 'image-push' && state === 'completed')?.finishedAt;
  return pushed == null || finishedAt === null ? null : (Date.parse(finishedAt) - Date.parse(pushed)) / 1000;
}
