import type { Response } from 'express';
import type { Reply } from '../api/http/define-route.ts';
import { pageHeaders } from '../api/http/pages/page-headers.ts';

/** Headers of each page: what is ours runs and shows, nothing is framed, forms go to us alone. */
const HEADERS = {
  ...pageHeaders({ brand: { name: 'Fairlead', logoUrl: null, colour: null }, scripted: true }),
  // With `no-referrer` a browser would not say where a form comes from.
  'Referrer-Policy': 'same-origin',
};

export interface DocumentReply {
  readonly status?: number;
  readonly document: string;
  readonly cookies?: readonly string[];
}

/** Answers with a page. @param cookies whole `Set-Cookie` values */
export function sendDocument(reply: DocumentReply): Reply {
  return async (response) => writeDocument(response, reply);
}

export function writeDocument(response: Response, { status = 200, document, cookies = [] }: DocumentReply): void {
  response.status(status).set(HEADERS);
  for (const cookie of cookies) response.append('Set-Cookie', cookie);
  response.send(document);
}
