// Counts down the remaining times on the page, and reloads the page when one of them reaches zero. Without
// this script, the page shows the times that remained when it was rendered.

const shownAtMs = Date.now();
const timers = [...document.querySelectorAll('[data-left-ms]')].map((element) => ({
  element,
  bar: element.nextElementSibling,
  leftMs: Number(element.getAttribute('data-left-ms')),
}));

if (timers.length > 0) {
  const ticking = setInterval(() => {
    const passedMs = Date.now() - shownAtMs;
    for (const { element, bar, leftMs } of timers) {
      const nowLeftMs = Math.max(0, leftMs - passedMs);
      element.textContent = clock(nowLeftMs);
      bar.value = nowLeftMs;
    }
    if (timers.some(({ leftMs }) => leftMs <= passedMs)) {
      clearInterval(ticking);
      location.reload();
    }
  }, 250);
}

/** Formats a remaining time in the format of lobby-page.ts. */
function clock(ms) {
  const seconds = Math.ceil(ms / 1000);
  const hours = Math.floor(seconds / 3600);
  const rest = new Date(seconds * 1000).toISOString().slice(14, 19);
  return hours === 0 ? rest.replace(/^0/, '') : `${hours}:${rest}`;
}
