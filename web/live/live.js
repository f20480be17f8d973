// Keeps an open page current. A page that has changes says so by `data-live` on its main element: the address of a stream
// of server-sent events, whose regions replace, or are added to, those of the page. Without this script the page is the
// same, and is current when it is loaded again.
(() => {
  const main = document.querySelector('main[data-live]');

  // Times that were "2 min ago" when the page was made.
  const show = (seconds) => {
    if (seconds < 10) return 'just now';
    if (seconds < 60) return `${seconds} s ago`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
    if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
    if (seconds < 30 * 86400) return `${Math.floor(seconds / 86400)} d ago`;
    return null;
  };
  // The clock of this machine may be wrong: the page says when it was made.
  const made = Date.parse(document.documentElement.dataset.made ?? '');
  const offset = Number.isNaN(made) ? 0 : made - Date.now();
  const refreshTimes = () => {
    for (const time of document.querySelectorAll('time[data-ago]')) {
      const seconds = Math.round((Date.now() + offset - Date.parse(time.dateTime)) / 1000);
      const text = seconds < -60 ? null : show(seconds);
      if (text !== null && time.textContent !== text) time.textContent = text;
    }
  };
  setInterval(refreshTimes, 10_000);

  // Times that something has taken so far.
  const took = (seconds) => {
    if (seconds < 60) return `${seconds} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
    return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  };
  setInterval(() => {
    for (const time of document.querySelectorAll('time[data-since]')) {
      const seconds = Math.round((Date.now() + offset - Date.parse(time.dateTime)) / 1000);
      time.textContent = took(Math.max(0, seconds));
    }
  }, 1_000);

  // A browser lets pages copy where nobody else can change them on their way: elsewhere there are no buttons for it.
  if (navigator.clipboard) {
    document.documentElement.dataset.copies = '';
    const said = document.createElement('p');
    said.className = 'unseen';
    said.setAttribute('role', 'status');
    document.body.append(said);
    document.addEventListener('click', async ({ target }) => {
      const button = target.closest?.('[data-copy]');
      if (!button) return;
      const copied = await navigator.clipboard.writeText(button.dataset.copy).then(
        () => true,
        () => false,
      );
      said.textContent = copied ? 'Copied' : 'The browser did not let it be copied';
      button.dataset.copied = copied ? 'yes' : 'no';
      setTimeout(() => {
        said.textContent = '';
        delete button.dataset.copied;
      }, 2_000);
    });
  }

  // A line that this part of a log does not have is in another part of it.
  const [, line] = /^#L(\d{1,15})$/.exec(location.hash) ?? [];
  const lines = document.querySelector('[data-line-path]');
  if (line && lines && !document.getElementById(`L${line}`) && !location.search) {
    location.replace(`${lines.dataset.linePath}${line}${location.hash}`);
    return;
  }
  if (!line) for (const box of document.querySelectorAll('[data-follow]')) box.scrollTop = box.scrollHeight;

  if (!main || typeof EventSource === 'undefined') return;

  const fragmentOf = (html) => {
    const template = document.createElement('template');
    template.innerHTML = html;
    return template.content;
  };
  const regionOf = (name) => main.querySelector(`[data-region="${CSS.escape(name)}"]`);
  const isAtEnd = (box) => box.scrollHeight - box.scrollTop - box.clientHeight < 40;

  const put = ({ region: name, mode, html }) => {
    const region = regionOf(name);
    if (!region) return;
    // Nobody's place is lost: what has the focus, or is open, stays.
    if (mode === 'replace' && region.contains(document.activeElement) && document.activeElement !== region) return;
    if (mode === 'replace') {
      region.replaceChildren(fragmentOf(html));
      return;
    }
    const box = region.closest('[data-follow]');
    const follows = box !== null && isAtEnd(box);
    region.append(fragmentOf(html));
    // What is dropped is still in the earlier parts of the log.
    const keep = Number(region.dataset.keep ?? Infinity);
    while (region.childElementCount > keep) region.firstElementChild.remove();
    if (follows) box.scrollTop = box.scrollHeight;
  };

  const lost = document.getElementById('live-lost');
  let stream = null;
  let lastId = '';
  let isOver = false;
  const end = (message) => {
    stream?.close();
    stream = null;
    if (lost && message) {
      lost.querySelector('[data-text]').textContent = message;
      lost.hidden = false;
    }
  };
  const start = () => {
    if (stream !== null || isOver) return;
    const url = new URL(main.dataset.live, location.href);
    if (lastId !== '') url.searchParams.set('last-event-id', lastId);
    stream = new EventSource(url);
    stream.addEventListener('change', (event) => {
      lastId = event.lastEventId || lastId;
      put(JSON.parse(event.data));
    });
    // An answer that is no stream, such as that of a proxy, ends the browser's own attempts.
    stream.addEventListener('error', () => {
      if (stream?.readyState !== EventSource.CLOSED) return;
      stream = null;
      setTimeout(() => document.visibilityState === 'visible' && start(), 3_000);
    });
    stream.addEventListener('end', (event) => {
      const { reason, message } = JSON.parse(event.data);
      isOver = true;
      if (reason === 'reload') location.reload();
      else end(message);
    });
  };
  // A page that is kept for the back button holds no connection open.
  addEventListener('pagehide', () => end());
  addEventListener('pageshow', start);
  // Nor does one that nobody looks at: a browser has few of them for all its tabs.
  let hidden = 0;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hidden);
    if (document.visibilityState === 'visible') start();
    else hidden = setTimeout(end, 30_000);
  });
  start();
})();
