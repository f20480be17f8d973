import { holdFreePort } from '../../infra/dev/free-ports.ts';

/** A port of the loopback that nothing used a moment ago, and that no connection of another test gets by chance. */
export async function freePort(): Promise<number> {
  const { port, close } = await holdFreePort();
  await close();
  return port;
}
