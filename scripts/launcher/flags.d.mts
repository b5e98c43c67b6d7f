/** Every process of ours starts with these. */
export const FLAGS: readonly string[];
