import type Docker from 'dockerode';
import { z } from 'zod';

/** What the engine says of its machine. */
export interface EngineInfo {
  readonly cpus: number;
  /** Where it keeps images, on its own machine. */
  readonly rootDirectory: string;
  /** What makes its control groups: `cgroupfs` or `systemd`. */
  readonly cgroupDriver: string;
  /** What it builds for and runs, such as `linux/amd64`. */
  readonly platform: string;
  readonly registries: EngineRegistries;
}

/** What the operator set of registries. */
export interface EngineRegistries {
  /** Hosts and networks that are spoken to without TLS. */
  readonly insecure: readonly string[];
  readonly mirrors: readonly string[];
}

/** An engine is asked again after this long: it may have been restarted with other settings. */
const REMEMBERED_MS = 60_000;

/** Asks the engine, which takes it 10 to 40 ms, at most once a minute. @throws errors of the engine, which are not kept */
export function createEngineInfo(docker: Docker, now: () => number = Date.now): () => Promise<EngineInfo> {
  let known: { readonly info: Promise<EngineInfo>; readonly untilMs: number } | null = null;
  return async () => {
    if (known !== null && known.untilMs > now()) return await known.info;
    const asked = { info: ask(docker), untilMs: now() + REMEMBERED_MS };
    known = asked;
    try {
      return await asked.info;
    } catch (error) {
      if (known === asked) known = null;
      throw error;
    }
  };
}

async function ask(docker: Docker): Promise<EngineInfo> {
  const [info, { Os, Arch }] = await Promise.all([docker.info(), docker.version()]);
  const { NCPU, DockerRootDir, CgroupDriver } = info;
  const registries = registriesOf(registryConfig.parse(info));
  return {
    cpus: NCPU,
    rootDirectory: DockerRootDir,
    cgroupDriver: CgroupDriver,
    platform: `${Os}/${Arch}`,
    registries,
  };
}

const registryConfig = z.object({
  RegistryConfig: z
    .object({
      InsecureRegistryCIDRs: z.array(z.string()).nullish(),
      IndexConfigs: z.record(z.string(), z.object({ Secure: z.boolean().nullish() })).nullish(),
      Mirrors: z.array(z.string()).nullish(),
    })
    .nullish(),
});

function registriesOf({ RegistryConfig: config }: z.infer<typeof registryConfig>): EngineRegistries {
  const hosts = Object.entries(config?.IndexConfigs ?? {}).filter(([, { Secure }]) => Secure === false);
  return {
    insecure: [...(config?.InsecureRegistryCIDRs ?? []), ...hosts.map(([host]) => host)].toSorted(),
    mirrors: [...(config?.Mirrors ?? [])],
  };
}
