import { z } from 'zod';
import type { S3Settings } from '../s3/s3-client.ts';
import { port, secret, text } from './variable-kinds.ts';

/** `s3.example.com`, or a base address that says the protocol itself. */
const host = z
  .string()
  .regex(
    /^(https?:\/\/)?(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:\d{1,5})?\/?$/i,
    'the name of a host, or an http or https address',
  )
  .transform((value) => value.replace(/\/$/, ''));

/** Where the object store is that speaks S3 (spec 2, builder environment variables). */
const placeSection = {
  /** Where people reach it: their links name it. Without a protocol it is https. */
  OBJECT_STORE_HOST: host.optional(),
  /** Where the platform reaches it; OBJECT_STORE_HOST when it is not set. */
  OBJECT_STORE_INTERNAL_HOST: host.optional(),
  /** Of both, where they name none. */
  OBJECT_STORE_PORT: port.default(9000),
  OBJECT_STORE_REGION: text.default('us-east-1'),
};

/** What the worker reads, and nobody else. */
export const objectStoreSection = {
  ...placeSection,
  OBJECT_STORE_ACCESS_KEY: secret(text.optional()),
  OBJECT_STORE_SECRET_KEY: secret(text.optional()),
};

/** What the API reads, which signs links: keys of a user who may read objects and needs no more. */
export const objectLinksSection = {
  ...placeSection,
  OBJECT_STORE_LINK_ACCESS_KEY: secret(text.optional()),
  OBJECT_STORE_LINK_SECRET_KEY: secret(text.optional()),
};

type Values<Section extends Readonly<Record<string, z.ZodType>>> = z.infer<z.ZodObject<Section>>;

/** What all buckets of an object store have in common. */
export type ObjectStoreSettings = Omit<S3Settings, 'bucket'>;

/** @returns null without a host or without keys: what needs an object store is off then */
export function objectStoreSettings(env: Values<typeof objectStoreSection>): ObjectStoreSettings | null {
  return settings(env, env.OBJECT_STORE_ACCESS_KEY, env.OBJECT_STORE_SECRET_KEY);
}

/** @returns null without a host or without keys: no link is signed then */
export function objectLinksSettings(env: Values<typeof objectLinksSection>): ObjectStoreSettings | null {
  return settings(env, env.OBJECT_STORE_LINK_ACCESS_KEY, env.OBJECT_STORE_LINK_SECRET_KEY);
}

function settings(
  env: Values<typeof placeSection>,
  accessKey: string | undefined,
  secretKey: string | undefined,
): ObjectStoreSettings | null {
  const { OBJECT_STORE_HOST: publicHost, OBJECT_STORE_PORT: port, OBJECT_STORE_REGION: region } = env;
  const internalHost = env.OBJECT_STORE_INTERNAL_HOST ?? publicHost;
  if (internalHost === undefined || accessKey === undefined || secretKey === undefined) return null;
  return {
    endpoint: baseAddress(internalHost, port),
    publicEndpoint: baseAddress(publicHost ?? internalHost, port),
    ...{ region, accessKey, secretKey },
  };
}

function baseAddress(host: string, port: number): string {
  const url = /^https?:/i.test(host) ? host : `https://${host}`;
  return /:\d+$/.test(url) ? url : `${url}:${port}`;
}
