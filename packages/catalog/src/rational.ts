/** An exact non-negative rational. Prices are computed in it and rounded up once, at the end. */
export type Rational = { numerator: bigint; denominator: bigint }

export function rational(numerator: bigint | number, denominator: bigint | number = 1): Rational {
  return { numerator: BigInt(numerator), denominator: BigInt(denominator) }
}

/** "0.30" is 3/10, exactly. */
export function fromDecimal(decimal: string): Rational {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(decimal)
  if (match === null) throw new TypeError(`not a decimal: ${decimal}`)
  const fraction = match[2] ?? ''
  return { numerator: BigInt(`${match[1]}${fraction}`), denominator: 10n ** BigInt(fraction.length) }
}

export function multiply(a: Rational, b: Rational): Rational {
  return { numerator: a.numerator * b.numerator, denominator: a.denominator * b.denominator }
}

export function add(a: Rational, b: Rational): Rational {
  return { numerator: a.numerator * b.denominator + b.numerator * a.denominator, denominator: a.denominator * b.denominator }
}

export function roundUp({ numerator, denominator }: Rational): bigint {
  return (numerator + denominator - 1n) / denominator
}
