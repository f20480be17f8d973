import express, { type RequestHandler } from 'express';
import { FairleadError } from '../../domain/errors.ts';
import type { BodyType, Route } from './define-route.ts';

const JSON_LIMIT = '2mb';
const FORM_LIMIT = '64kb';
/** The form of an escalation has each of an org's channels in each of its steps. */
const FORM_PARAMETERS = 120;

/** A reader is chosen by the content type, and need not look at it again. */
const ANY = () => true;

const READERS = {
  json: ['application/json', express.json({ type: ANY, limit: JSON_LIMIT, strict: true })],
  form: [
    'application/x-www-form-urlencoded',
    express.urlencoded({ type: ANY, limit: FORM_LIMIT, extended: false, parameterLimit: FORM_PARAMETERS }),
  ],
} as const satisfies Readonly<Record<BodyType, readonly [contentType: string, reader: RequestHandler]>>;

/**
 * Reads a body by the reader of its content type. A stream is left to the handler; a request without a body needs no
 * type: its fields are then found missing one by one. @throws UNSUPPORTED_MEDIA_TYPE
 */
export function bodyReader(route: Route): RequestHandler[] {
  if (route.method === 'get') return [];
  const readers = new Map<string, RequestHandler>((route.bodyTypes ?? ['json']).map((type) => READERS[type]));
  const contentTypes = [...(route.streamBody?.contentTypes ?? readers.keys())];
  return [
    (request, response, next) => {
      const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
      if (encoding === undefined && Number(length ?? 0) === 0) return next();
      const named = request.headers['content-type'];
      const type = contentTypes.find((known) => known === named) ?? request.is(contentTypes);
      if (!type) {
        throw new FairleadError('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${contentTypes.join(' or ')}`);
      }
      const read = route.streamBody === undefined ? readers.get(type) : undefined;
      if (read === undefined) next();
      else read(request, response, next);
    },
  ];
}
