import type Docker from 'dockerode';

/** What the engine says of its machine. */
export interface EngineInfo {
  readonly cpus: number;
  /** Where it keeps images, on its own machine. */
  readonly rootDirectory: string;
  /** What makes its control groups: `cgroupfs` or `systemd`. */
  readonly cgroupDriver: string;
  /** What it builds for and runs, such as `linux/amd64`. */
  readonly platform: string;
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
  const [{ NCPU, DockerRootDir, CgroupDriver }, { Os, Arch }] = await Promise.all([docker.info(), docker.version()]);
  return { cpus: NCPU, rootDirectory: DockerRootDir, cgroupDriver: CgroupDriver, platform: `${Os}/${Arch}` };
}
