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

/** The object store that speaks S3 (spec 2, builder environment variables). Only the worker reads it. */
export const objectStoreSection = {
  /** Where people reach it: their links name it. Without a protocol it is https. */
  OBJECT_STORE_HOST: host.optional(),
  /** Where the platform reaches it; OBJECT_STORE_HOST when it is not set. */
  OBJECT_STORE_INTERNAL_HOST: host.optional(),
  /** Of both, where they name none. */
  OBJECT_STORE_PORT: port.default(9000),
  OBJECT_STORE_REGION: text.default('us-east-1'),
  OBJECT_STORE_ACCESS_KEY: secret(text.optional()),
  OBJECT_STORE_SECRET_KEY: secret(text.optional()),
};

/** What all buckets of an object store have in common. */
export type ObjectStoreSettings = Omit<S3Settings, 'bucket'>;

/** @returns null without a host or without credentials: what needs an object store is off then */
export function objectStoreSettings(env: z.infer<z.ZodObject<typeof objectStoreSection>>): ObjectStoreSettings | null {
  const {
    OBJECT_STORE_HOST: publicHost,
    OBJECT_STORE_INTERNAL_HOST: internalHost = publicHost,
    OBJECT_STORE_PORT: port,
    OBJECT_STORE_REGION: region,
    OBJECT_STORE_ACCESS_KEY: accessKey,
    OBJECT_STORE_SECRET_KEY: secretKey,
  } = env;
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
