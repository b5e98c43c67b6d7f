/** Sets an entry as the newest of a map, and deletes the oldest one if the map exceeds `most` entries. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [first] = map.keys();
  if (map.size > most) map.delete(first as K);
}
