/** Sets the last entry of a map, which forgets its first one beyond a number. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [first] = map.keys();
  if (map.size > most) map.delete(first as K);
}
