import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import type { BuildRelay } from './relay/build-relay.ts';

/**
 * What RUN steps reach. `default`: the proxy of builds; with BuildKit also what the engine's default bridge lets through,
 * because it has no other network to give. `sealed`: the proxy alone, with the legacy builder. `none`: nothing.
 */
export type BuildNetwork = 'default' | 'sealed' | 'none';

export interface BuildNetworkOptions {
  readonly buildNetwork?: BuildNetwork | undefined;
  readonly buildkit: boolean;
  /** Makes sure of the relay to the proxy of builds; null where there is no such proxy. */
  readonly relay: ((context: EffectContext) => Promise<BuildRelay>) | null;
  /** Environment of the docker client. */
  readonly env: ProcessEnv;
}

/** Build arguments that every container file knows. Neither history, layers nor the cache's keys hold their values. */
const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'] as const;

/** What a step starts for itself is not the proxy's. */
const OWN_HOSTS = 'localhost,127.0.0.1,::1';

export interface RunNetwork {
  /** Value of the client's `--network`; never that of the machine. */
  readonly mode: string;
  /** Build arguments by name and value. */
  readonly variables: ProcessEnv;
}

/** The network of the RUN steps of one build. @throws UNAVAILABLE, DISK_FULL, BASE_IMAGE_UNAVAILABLE, or the abort reason */
export async function runNetwork(options: BuildNetworkOptions, context: EffectContext): Promise<RunNetwork> {
  const { buildNetwork = 'default', buildkit, relay, env } = options;
  if (buildNetwork === 'none' || (buildNetwork === 'sealed' && relay === null)) return { mode: 'none', variables: {} };
  if (relay === null) return { mode: 'default', variables: withoutCredentials(env) };
  const { containerId, proxyUrl } = await relay(context);
  const values = PROXY_VARIABLES.map((name) => [name, /^no_/i.test(name) ? OWN_HOSTS : proxyUrl] as const);
  return { mode: buildkit ? 'default' : `container:${containerId}`, variables: Object.fromEntries(values) };
}

/** The same network, with a host more that needs no proxy. */
export function withNoProxyHost({ mode, variables }: RunNetwork, host: string): RunNetwork {
  const hosts = (name: string) => [variables[name], host].filter((value) => value !== undefined).join(',');
  return { mode, variables: { ...variables, NO_PROXY: hosts('NO_PROXY'), no_proxy: hosts('no_proxy') } };
}

/** The operator's own proxies, where builds have none of the platform. */
function withoutCredentials(env: ProcessEnv): ProcessEnv {
  const found = PROXY_VARIABLES.flatMap((name) => {
    const value = env[name];
    return value === undefined || value.includes('@') ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found);
}
