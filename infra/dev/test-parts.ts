import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from './project.ts';
import { runtimeVariables } from './runtime-variables.ts';
import { startStandIn } from './stand-in-process.ts';
import { errorLine, type Reporter } from './terminal.ts';
import { TEST_MONGODB_URI, TEST_TOOLS } from './test-variables.ts';
import { anvil } from './tools/anvil.ts';
import { chromium } from './tools/chromium.ts';
import { gitea } from './tools/gitea.ts';
import { helm } from './tools/helm.ts';
import { imageRegistry } from './tools/image-registry.ts';
import { minio } from './tools/minio.ts';
import { mongoStandIn } from './tools/mongo.ts';
import { mongoTools } from './tools/mongo-tools.ts';
import { pebble } from './tools/pebble.ts';
import { postgresServer } from './tools/postgres.ts';
import { powerDns } from './tools/powerdns.ts';
import { redisServer } from './tools/redis.ts';
import { resolveTool, type Tool } from './tools/resolve-tool.ts';
import { schemathesis } from './tools/schemathesis.ts';
import { stepCa } from './tools/step-ca.ts';
import { temporalCli } from './tools/temporal-cli.ts';
import { temporalServer } from './tools/temporal-server.ts';
import { temporalUiServer } from './tools/temporal-ui-server.ts';
import { timeSkippingServer } from './tools/time-skipping-server.ts';
import { versitygw } from './tools/versitygw.ts';
import { workflowBundle } from './workflow-bundle.ts';

const TOOLS: readonly Tool[] = [
  mongoStandIn,
  temporalServer,
  temporalUiServer,
  temporalCli,
  timeSkippingServer,
  anvil,
  imageRegistry,
  chromium,
  gitea,
  minio,
  versitygw,
  postgresServer,
  redisServer,
  powerDns,
  pebble,
  stepCa,
  mongoTools,
  schemathesis,
  helm,
];

/** What takes minutes to build where it cannot be downloaded, or needs Python, and may fail there: the tests of it are skipped then. */
const OPTIONAL: ReadonlySet<Tool> = new Set([gitea, versitygw, stepCa, schemathesis, helm]);

/** What all test files share, for the variables of their processes. A file that runs alone has its own. */
export interface TestParts {
  readonly variables: Readonly<Record<string, string>>;
  /** Tools that could not be had: the tests that need one fail and say so as well. */
  readonly missing: readonly { readonly name: string; readonly reason: string }[];
  readonly stop: () => Promise<void>;
}

export interface TestPartsOptions {
  readonly env: Env;
  readonly report: Reporter;
  /** How many files will run: for a few of them nothing is fetched or started that they may not need. */
  readonly files: number;
  /** Of the tools, only the database server is looked up: most files of a smoke run need no other, and the others look for theirs. */
  readonly smoke?: boolean;
}

/** Fewer files than this get what they need by themselves. */
const MANY = 8;

/** Finds every tool, prepares the workflow bundle, and starts one database server for all test files. */
export async function startTestParts({ env, report, files, smoke }: TestPartsOptions): Promise<TestParts> {
  const runtime = runtimeVariables(env);
  if (files < MANY) return { variables: runtime, missing: [], stop: async () => undefined };
  const paths: Record<string, string> = {};
  const missing: { name: string; reason: string }[] = [];
  const find = async (tool: Tool): Promise<void> => {
    try {
      paths[tool.name] = (await resolveTool(tool, { env, report })).path;
    } catch (error) {
      if (!OPTIONAL.has(tool)) missing.push({ name: `${tool.title} is available`, reason: errorLine(error) });
    }
  };
  await Promise.all([workflowBundle(env, report), ...(smoke ? [mongoStandIn] : TOOLS).map(find)]);
  const database = await startDatabase(env, paths[mongoStandIn.name]);
  const variables = {
    ...runtime,
    [TEST_TOOLS]: JSON.stringify(paths),
    ...(database === null ? {} : { [TEST_MONGODB_URI]: database.address }),
  };
  return { variables, missing, stop: async () => database?.stop() };
}

/** Null where the environment names a server already, or there is no program for one. */
async function startDatabase(env: Env, program: string | undefined) {
  if (env[TEST_MONGODB_URI] || program === undefined) return null;
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-mongo-'));
  const { address, kill } = await startStandIn(program, join(folder, 'data.mv'));
  const stop = async (): Promise<void> => {
    await kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  };
  return { address, stop };
}
