import { formatUsdc } from '@turnpike/contracts'
import type { PricedRequest } from './quote.ts'
import { add, fromDecimal, multiply, type Rational, rational, roundUp } from './rational.ts'

/** One row of a price. Amounts and unit prices are exact decimals of USD; past twelve places they are rounded up. */
export type PriceLine = { item: string; quantity: string; unit: string; unit_price_usd: string; amount_usd: string }

const BASIS_POINTS = 10_000n

/**
 * What a price is made of, from the inputs that it was computed from and that stand on the receipt. Together the lines are the price
 * before it is rounded up, once, to one atomic unit of USDC.
 */
export function priceLines({ amountAtomic, inputs }: PricedRequest): PriceLine[] {
  const counted = countedLines(inputs)
  const sum = counted.map(({ quantity, unitPrice }) => multiply(rational(quantity), unitPrice)).reduce(add, rational(0))
  const fee = multiply(sum, rational(wholeOf(inputs, 'service_fee_basis_points'), BASIS_POINTS))
  const lines = counted.map(({ item, quantity, unit, unitPrice }) => line(item, quantity, unit, unitPrice))
  if (fee.numerator > 0n) lines.push(line('service_fee', 1n, 'request', fee))
  const charged = rational(amountAtomic, 1_000_000)
  const total = add(sum, fee)
  // Rounding up adds less than one atomic unit; what is more than that is the minimum at work.
  const missing = subtract(charged, total)
  if (missing.numerator * 1_000_000n >= missing.denominator) lines.push(line('up_to_minimum_price', 1n, 'request', missing))
  return lines
}

type Counted = { item: string; quantity: bigint; unit: string; unitPrice: Rational }

function countedLines(inputs: PricedRequest['inputs']): Counted[] {
  const price = (name: string, per: number): Rational => multiply(fromDecimal(textOf(inputs, name)), rational(1, per))
  switch (inputs.billing_mode) {
    case 'fixed_request_estimate':
      return [
        {
          item: 'estimated_input',
          quantity: wholeOf(inputs, 'input_tokens'),
          unit: 'token',
          unitPrice: price('input_per_million_tokens', 1_000_000),
        },
        {
          item: 'output_ceiling',
          quantity: roundUp(
            rational(wholeOf(inputs, 'max_tokens') * wholeOf(inputs, 'output_reserve_basis_points'), BASIS_POINTS),
          ),
          unit: 'token',
          unitPrice: price('output_per_million_tokens', 1_000_000),
        },
      ]
    case 'per_image_specification':
      return [
        {
          item: 'image',
          quantity: wholeOf(inputs, 'images'),
          unit: 'image',
          unitPrice: price('price_per_successful_image_usd', 1),
        },
      ]
    case 'fixed_request_characters':
      return [
        {
          item: 'input_characters',
          quantity: wholeOf(inputs, 'characters'),
          unit: 'character',
          unitPrice: price('price_per_thousand_characters_usd', 1_000),
        },
      ]
    case 'fixed_request_audio_duration':
      return [
        { item: 'base_price', quantity: 1n, unit: 'request', unitPrice: price('base_price_usd', 1) },
        {
          item: 'audio',
          quantity: wholeOf(inputs, 'billed_seconds'),
          unit: 'second',
          unitPrice: price('price_per_audio_hour_usd', 3_600),
        },
      ]
    default:
      throw new Error(`no price is computed by ${String(inputs.billing_mode)}`)
  }
}

function line(item: string, quantity: bigint, unit: string, unitPrice: Rational): PriceLine {
  return {
    item,
    quantity: quantity.toString(),
    unit,
    unit_price_usd: decimalOf(unitPrice),
    amount_usd: decimalOf(multiply(rational(quantity), unitPrice)),
  }
}

const PLACES = 12

function decimalOf(value: Rational): string {
  const scaled = roundUp(multiply(value, rational(10n ** BigInt(PLACES))))
  // The money formatter knows six places: the digits beyond them are set behind its own.
  const millionths = scaled / 1_000_000n
  const rest = (scaled % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '')
  if (rest === '') return formatUsdc(millionths)
  const [whole = '0', fraction = ''] = formatUsdc(millionths).split('.')
  return `${whole}.${fraction.padEnd(6, '0')}${rest}`
}

function subtract(a: Rational, b: Rational): Rational {
  return add(a, { numerator: -b.numerator, denominator: b.denominator })
}

function wholeOf(inputs: PricedRequest['inputs'], name: string): bigint {
  const value = inputs[name]
  if (typeof value !== 'number') throw new Error(`a price without ${name}`)
  return BigInt(value)
}

function textOf(inputs: PricedRequest['inputs'], name: string): string {
  const value = inputs[name]
  if (typeof value !== 'string') throw new Error(`a price without ${name}`)
  return value
}
