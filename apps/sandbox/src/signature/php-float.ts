const DIGITS = 14;
/** As many as JavaScript writes, to tell half of a digit from a little more. */
const ALL_DIGITS = 100;

/** A number that PHP has as a float. */
export class PhpFloat {
  constructor(readonly value: number) {}

  /** As PHP makes a string of it: 14 significant digits, and from 1.0E+14 on with an exponent. */
  toString(): string {
    const { value } = this;
    if (Object.is(value, -0)) return '-0';
    if (!Number.isFinite(value)) return value < 0 ? '-INF' : 'INF';
    const exponential = halfEven(value).replace(/\.?0*(?=e)/, '');
    const power = Number(exponential.split('e')[1]);
    if (power >= -4 && power < DIGITS) return decimal(exponential, power);
    return exponential.replace(/^(-?\d)(?=e)/, '$1.0').replace('e', 'E');
  }
}

/** `d.ddde±x`. Half of a digit goes to the even digit; JavaScript alone would always round it up. */
function halfEven(value: number): string {
  const exact = /^(-?\d\.\d{12}[02468])50*(e.*)$/.exec(value.toExponential(ALL_DIGITS));
  return exact ? `${exact[1]}${exact[2]}` : value.toExponential(DIGITS - 1);
}

function decimal(exponential: string, power: number): string {
  const digits = exponential.replace(/[-.]|e.*/g, '').length;
  return Number(exponential).toFixed(Math.max(0, digits - 1 - power));
}
