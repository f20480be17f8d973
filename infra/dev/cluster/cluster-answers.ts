import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { z } from 'zod';
import type { ClusterPaths } from './cluster-folder.ts';

const nodesSchema = z.object({
  items: z.array(
    z.object({
      status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) }),
    }),
  ),
});

/** True when the API server of the cluster takes requests. */
export async function apiServerAnswers(paths: ClusterPaths, port: number): Promise<boolean> {
  return (await get(paths, port, '/readyz')) !== null;
}

/** True when its node takes pods. */
export async function isNodeReady(paths: ClusterPaths, port: number): Promise<boolean> {
  const text = await get(paths, port, '/api/v1/nodes');
  if (text === null) return false;
  const { items } = nodesSchema.parse(JSON.parse(text));
  return items.some(({ status }) =>
    status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
  );
}

/** True when a program of this machine says that it is well; those with TLS have made their certificates themselves. */
export async function isWell(url: string): Promise<boolean> {
  return (await ask(url, new Agent({ connect: { rejectUnauthorized: false } }))) !== null;
}

async function get({ pki }: ClusterPaths, port: number, path: string): Promise<string | null> {
  const [ca, token] = await Promise.all(['ca.pem', 'admin.token'].map((name) => readFile(join(pki, name), 'utf8')));
  const headers = { authorization: `Bearer ${token}` };
  return await ask(`https://127.0.0.1:${port}${path}`, new Agent({ connect: { ca: ca ?? '' } }), headers);
}

/** Null where it does not answer with success. */
async function ask(url: string, dispatcher: Agent, headers: Record<string, string> = {}): Promise<string | null> {
  try {
    const answer = await fetch(url, { dispatcher, headers, signal: AbortSignal.timeout(5_000) });
    const text = await answer.text();
    return answer.ok ? text : null;
  } catch {
    // It does not answer yet, or any more.
    return null;
  } finally {
    await dispatcher.close();
  }
}
