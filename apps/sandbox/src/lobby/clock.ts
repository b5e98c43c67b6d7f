/** Formats a remaining time like a clock, `59:58` or `1:00:00`; a second that has begun counts. */
export function clock(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const [hours, ...rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const parts = hours === 0 ? rest : [hours, ...rest];
  return parts.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}
