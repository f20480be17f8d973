import { z } from 'zod';
import type { RouteResponse } from '../define-route.ts';

const page: RouteResponse = {
  description: 'A page',
  schema: z.string(),
  alternative: { contentType: 'text/html', description: 'A page for a browser' },
};

export const REDIRECT_RESPONSE: Readonly<Record<number, RouteResponse>> = {
  303: { description: 'Where to go next, in Location', schema: z.null() },
};

/** What a page answers: itself, or where to go. */
export const PAGE_RESPONSES: Readonly<Record<number, RouteResponse>> = { 200: page, ...REDIRECT_RESPONSE };

/** WebAuthn options as the browser takes them. */
export const OPTIONS_RESPONSE: Readonly<Record<number, RouteResponse>> = {
  200: { description: 'Options for navigator.credentials', schema: z.looseObject({ challenge: z.string() }) },
};
