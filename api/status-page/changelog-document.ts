import { html, renderHtml } from '../http/pages/html.ts';
import { momentOf } from '../http/pages/time-words.ts';
import { changelogBlocks, walkthroughLink } from './changelog-section.ts';
import type { WholeChangelog } from './shared-changelogs.ts';
import { styleElement } from './status-document.ts';

/** The whole changelog of a service as a document in the looks of the status page. */
export function changelogDocument({ service, version, deployedAt, walkthroughUrl, blocks }: WholeChangelog): string {
  const title = `What’s new in ${service}`;
  return renderHtml(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${styleElement()}
</head>
<body>
<div class="page">
<header><h1>${title}</h1></header>
<main>
<section class="box"><h2>${version ?? 'Latest'}</h2>
<p class="quiet">Deployed ${momentOf(deployedAt)}</p>
${changelogBlocks(blocks)}${walkthroughLink(walkthroughUrl)}</section>
<p><a href="/">Status</a></p>
</main>
</div>
</body>
</html>
`);
}
