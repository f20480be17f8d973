import type { Lookup } from '../public-address.ts';
import { askOnce, createResolver } from './ask-server.ts';

/**
 * Resolves host names by questions of its own, within seconds. That of the system waits on one of the few threads that read
 * files and compute hashes as well: names whose servers never answer would hold up this whole process.
 * @param servers addresses of resolvers; those of the system without any
 */
export function createResolverLookup(servers: readonly string[]): Lookup {
  return async (hostname) => {
    const resolver = createResolver(servers);
    const answers = await Promise.all([
      askOnce(() => resolver.resolve4(hostname)),
      askOnce(() => resolver.resolve6(hostname)),
    ]);
    const addresses = answers.flatMap((answer) => ('items' in answer ? answer.items : []));
    const problem = answers.find((answer) => 'problem' in answer);
    if (addresses.length === 0 && problem !== undefined)
      throw new Error(`${hostname} does not resolve: ${problem.problem}`);
    return addresses.map((address) => ({ address }));
  };
}
