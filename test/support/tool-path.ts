import { silentReporter } from '../../infra/dev/terminal.ts';
import { TEST_TOOLS } from '../../infra/dev/test-variables.ts';
import type { Tool } from '../../infra/dev/tools/resolve-tool.ts';

/** By their names. Loaded on need alone: some of them load what downloads and unpacks. */
const TOOLS = {
  anvil: async () => (await import('../../infra/dev/tools/anvil.ts')).anvil,
  chromium: async () => (await import('../../infra/dev/tools/chromium.ts')).chromium,
  gitea: async () => (await import('../../infra/dev/tools/gitea.ts')).gitea,
  helm: async () => (await import('../../infra/dev/tools/helm.ts')).helm,
  minio: async () => (await import('../../infra/dev/tools/minio.ts')).minio,
  'mongo-stand-in': async () => (await import('../../infra/dev/tools/mongo.ts')).mongoStandIn,
  'mongo-tools': async () => (await import('../../infra/dev/tools/mongo-tools.ts')).mongoTools,
  pebble: async () => (await import('../../infra/dev/tools/pebble.ts')).pebble,
  powerdns: async () => (await import('../../infra/dev/tools/powerdns.ts')).powerDns,
  registry: async () => (await import('../../infra/dev/tools/image-registry.ts')).imageRegistry,
  schemathesis: async () => (await import('../../infra/dev/tools/schemathesis.ts')).schemathesis,
  'step-ca': async () => (await import('../../infra/dev/tools/step-ca.ts')).stepCa,
  temporal: async () => (await import('../../infra/dev/tools/temporal-cli.ts')).temporalCli,
  'temporal-test-server': async () =>
    (await import('../../infra/dev/tools/time-skipping-server.ts')).timeSkippingServer,
  versitygw: async () => (await import('../../infra/dev/tools/versitygw.ts')).versitygw,
} satisfies Record<string, () => Promise<Tool>>;

/** Path of a tool: the one that `npm test` found for all files, else looked for now. @throws FairleadError UNAVAILABLE */
export async function toolPath(name: keyof typeof TOOLS): Promise<string> {
  const given = JSON.parse(process.env[TEST_TOOLS] ?? '{}') as Readonly<Record<string, string>>;
  if (given[name] !== undefined) return given[name];
  const { resolveTool } = await import('../../infra/dev/tools/resolve-tool.ts');
  return (await resolveTool(await TOOLS[name](), { env: process.env, report: silentReporter })).path;
}
