// Keeps the page up to date, and switches faults on and off. Without this script, the page shows the state at
// the time when it was loaded.

const live = document.getElementById('live');
const form = document.getElementById('fault-form');
const error = document.getElementById('fault-error');

const pause = document.getElementById('pause');
const onlyRefused = document.getElementById('only-refused');

/** The displayed parts, by name. */
const shown = {};
/** The most recently received parts. */
let latest = {};

const events = new EventSource('/sandbox/events');
events.addEventListener('open', () => say('live'));
events.addEventListener('error', () =>
  say(events.readyState === EventSource.CLOSED ? 'not live: reload' : 'not live: the sandbox is away'),
);
events.addEventListener('message', ({ data }) => {
  latest = JSON.parse(data);
  showLatest();
});

document.getElementById('tools').hidden = false;
pause.addEventListener('click', () => {
  const isPaused = pause.getAttribute('aria-pressed') !== 'true';
  pause.setAttribute('aria-pressed', String(isPaused));
  pause.textContent = isPaused ? 'Continue' : 'Pause';
  showLatest();
});
onlyRefused.addEventListener('change', chooseList);
chooseList();

form.addEventListener('change', ({ target }) => {
  if (target.name === 'kind') chooseKind();
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const headers = { 'content-type': 'application/json' };
  void control('faults', { method: 'POST', headers, body: JSON.stringify(faultOf(form)) });
});
document.addEventListener('click', ({ target }) => {
  if (target.id === 'clear-faults') void control('faults', { method: 'DELETE' });
  else if (target.dataset?.fault) void control(`faults/${target.dataset.fault}`, { method: 'DELETE' });
});
chooseKind();

function say(text) {
  if (live.textContent !== text) live.textContent = text;
  live.classList.toggle('on', text === 'live');
}

/** Updates the parts that have changed. While the lists of requests are paused, they are not updated. */
function showLatest() {
  const isPaused = pause.getAttribute('aria-pressed') === 'true';
  for (const [name, html] of Object.entries(latest)) {
    const isHeld = isPaused && (name === 'requests' || name === 'refused');
    if (!isHeld && shown[name] !== html) show(name, (shown[name] = html));
  }
}

function chooseList() {
  document.querySelector('[data-part="requests"]').hidden = onlyRefused.checked;
  document.querySelector('[data-part="refused"]').hidden = !onlyRefused.checked;
}

/** Replaces a part. Open elements stay open, and the focused element keeps the focus. */
function show(name, html) {
  const part = document.querySelector(`[data-part="${name}"]`);
  const open = [...part.querySelectorAll('details[open]')].map(({ id }) => id);
  const focused = part.contains(document.activeElement) ? document.activeElement : undefined;
  const focusedIn = focused?.closest('details')?.id;
  part.innerHTML = html;
  for (const id of open) document.getElementById(id)?.setAttribute('open', '');
  if (!focused) return;
  const again = document.querySelector(focused.id ? `#${focused.id}` : `#${focusedIn} > summary`);
  const next = again ?? part.closest('section')?.querySelector('select, button, summary');
  next?.focus({ preventScroll: true });
}

/** Shows the fields of the chosen kind of fault, and sends no other fields. */
function chooseKind() {
  for (const fields of form.querySelectorAll('fieldset')) {
    const isChosen = fields.dataset.kind === form.elements.kind.value;
    fields.hidden = !isChosen || fields.elements.length === 0;
    fields.disabled = !isChosen;
  }
}

/** Returns the body for the control API: without empty fields, and with numbers as JSON numbers. */
function faultOf({ elements }) {
  const fields = [...elements].filter(({ name, value }) => name && value !== '');
  const chosen = fields.filter((field) => !field.matches(':disabled'));
  const members = chosen.map(({ name, value, type }) => [name, type === 'number' ? Number(value) : value]);
  return Object.fromEntries(members);
}

async function control(path, options) {
  error.textContent = '';
  try {
    const answer = await fetch(`/sandbox/${path}`, options);
    // A fault whose count has reached zero in the meantime is off, too.
    if (answer.ok || answer.status === 404) return;
    const { detail, violations = [] } = await answer.json();
    const reasons = violations.map(({ pointer, message }) => `${pointer} ${message}`);
    error.textContent = [detail, ...reasons].join(' ');
  } catch {
    error.textContent = 'The sandbox did not answer.';
  }
}
