import type { Reply } from '../define-route.ts';
import { type PageView, renderPage } from './layout.ts';
import { pageHeaders } from './page-headers.ts';

/** Answers with a page. @param cookies whole `Set-Cookie` values */
export function sendPage(view: PageView, options: { status?: number; cookies?: readonly string[] } = {}): Reply {
  return async (response) => {
    response.status(options.status ?? 200).set(pageHeaders(view));
    for (const cookie of options.cookies ?? []) response.append('Set-Cookie', cookie);
    response.send(renderPage(view));
  };
}

/** Sends the browser on with GET. @param location a path of ours, or a URI that was validated */
export function redirectTo(location: string, cookies: readonly string[] = []): Reply {
  return async (response) => {
    for (const cookie of cookies) response.append('Set-Cookie', cookie);
    response.status(303).set({ Location: location, 'Cache-Control': 'no-store' }).end();
  };
}
