import type { Span } from '../../domain/status-page/changelog-spans.ts';
import type { ChangelogBlock } from '../../domain/status-page/changelog-text.ts';
import { type Html, html } from '../http/pages/html.ts';
import { momentOf } from '../http/pages/time-words.ts';
import type { Section } from './fit-sections.ts';
import { COMPONENTS_A_PAGE, type PageChangelog } from './page-content.ts';

/** What is new in the services of the page; nothing at all where the registry does not answer. */
export function changelogSection(changelogs: readonly PageChangelog[] | null): Section {
  const before = html`<h2>What’s new</h2>
`;
  const parts = changelogs?.slice(0, COMPONENTS_A_PAGE).map(changelogBox) ?? [];
  return { parts, least: 0, around: (shown) => (shown > 0 ? { before } : {}) };
}

function changelogBox(changelog: PageChangelog): Html {
  const { service, version, deployedAt, shown, walkthroughUrl } = changelog;
  return html`<section class="box"><h3>${service}${version !== null && ` ${version}`}</h3>
<p class="quiet">Deployed ${momentOf(deployedAt)}</p>
${changelogBlocks(shown.blocks)}
${shown.isCut && html`<p><a href="/changelog/${encodeURIComponent(service)}">All of it</a></p>`}${walkthroughLink(walkthroughUrl)}</section>`;
}

/** The registry takes no other addresses; one that it has all the same is not linked. */
export function walkthroughLink(url: string | null): Html | false {
  if (url === null || !/^https?:\/\//.test(url)) return false;
  return html`<p><a href="${url}" rel="noopener noreferrer nofollow">Walkthrough</a></p>`;
}

/** Blocks as markup. Their headings are bold text: what they stand below is the heading of the page. */
export function changelogBlocks(blocks: readonly ChangelogBlock[]): readonly Html[] {
  return blocks.map((block) => {
    if (block.kind === 'heading') return html`<p><strong>${spans(block.spans)}</strong></p>`;
    if (block.kind === 'text') return html`<p>${spans(block.spans)}</p>`;
    return html`<ul>${block.items.map((item) => html`<li>${spans(item)}</li>`)}</ul>`;
  });
}

function spans(list: readonly Span[]): readonly Html[] {
  return list.map(({ text, isCode }) => (isCode ? html`<code>${text}</code>` : html`${text}`));
}
