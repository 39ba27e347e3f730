"use strict";
// Follows the sliders: every number is computed from counts, as the library computes it.
(() => {
  const $ = (id) => document.getElementById(id);
  const page = JSON.parse($("numbers").textContent);
  const { app, two, many, each, names, stated } = page;
  const KINDS = { f8: Float64Array, f4: Float32Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array };
  const unpack = (packed) => {
    if (!packed) return null;
    const raw = atob(packed.d);
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i += 1) bytes[i] = raw.charCodeAt(i);
    return new KINDS[packed.t](bytes.buffer);
  };

  // ---- numbers as the library writes them
  const NBSP = "\u00a0";
  const split = (text) => text.replace(/\B(?=(\d{3})+(?!\d))/g, NBSP);
  const VAST = 1e15; // from here on a number no longer knows its last digits
  const grouped = (x) => {
    if (Math.abs(x) >= VAST) return x.toExponential(2);
    if (Number.isInteger(x)) return split(String(x));
    const [whole, rest] = x.toFixed(1).split(".");
    return `${split(whole)}.${rest}`;
  };
  const trimmed = (text) => (text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);
  const plain = (x, digits) => {
    if (!Number.isFinite(x)) return String(x).replace("Infinity", "inf");
    if (x === 0) return "0";
    const size = Math.abs(x);
    if (size >= 10 ** digits) return grouped(Math.round(x));
    if (size < 1e-4) return x.toPrecision(digits - 1);
    const [whole, rest] = trimmed(x.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(size))))).split(".");
    return rest ? `${split(whole)}.${rest}` : split(whole);
  };
  const aligned = (numbers, digits) => { // of one column, with equal decimals
    const largest = Math.max(0, ...numbers.filter(Number.isFinite).map(Math.abs));
    if (!(largest >= 1e-6 && largest < VAST)) return numbers.map((x) => plain(x, digits));
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(largest)));
    return numbers.map((x) => {
      if (!Number.isFinite(x)) return plain(x, digits);
      const [whole, rest] = (x + 0).toFixed(decimals).split(".");
      return rest ? `${split(whole)}.${rest}` : split(whole);
    });
  };
  const money = (x, unit) => {
    const y = x && Number.isFinite(x) ? Number(x.toPrecision(3)) : x;
    const text = Math.abs(y) < 1000 ? plain(y, 3) : grouped(Math.round(y));
    return unit ? `${text}${NBSP}${unit}` : text;
  };
  const short = (x) => {
    const size = Math.abs(x);
    if (size >= 0.9995 * VAST) return x.toExponential(2);
    for (const [factor, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
      if (size >= 0.9995 * factor * (letter === "k" ? 10 : 1)) {
        const y = x / factor;
        const s = Math.abs(y);
        return `${y.toFixed(s >= 99.95 ? 0 : s >= 9.995 ? 1 : 2)}${NBSP}${letter}`;
      }
    }
    return plain(x, size >= 1000 ? 4 : 3);
  };
  const percent = (share, digits) => {
    const value = 100 * share;
    if (value && Math.abs(value) < 0.1) return `${trimmed(value.toPrecision(2))}${NBSP}%`;
    return `${trimmed(value.toFixed(digits))}${NBSP}%`;
  };
  const rate = (share) => {
    const edge = Math.min(share, 1 - share);
    if (!(edge > 0)) return percent(share, 1);
    return percent(share, Math.min(100, Math.max(1, 1 - Math.floor(Math.log10(100 * edge)))));
  };
  const three = (x) => String(Number(x.toPrecision(3)));
  const fixed = (x) => x.toFixed(3).replace(/^-(?=0\.000$)/, "");
  const necText = (x) => (x === null || !Number.isFinite(x) ? "undefined" : fixed(x));
  const cutText = (x) => (x === Infinity ? "never" : x === -Infinity ? "always" : plain(x, 3));
  const outOf = (x) => (x >= 9.95 ? x.toFixed(0) : plain(Math.round(x * 100) / 100, 2));
  const put = (id, text, value) => {
    const cell = $(id);
    if (!cell) return;
    cell.textContent = text;
    if (value === undefined || value === null) cell.removeAttribute("data-value");
    else cell.dataset.value = String(value);
  };
  const typed = (id) => {
    const text = $(id).value;
    return text !== "" && Math.abs(Number(text)) <= 1e15 ? Number(text) : null; // else sums overflow
  };
  const volume = () => {
    const cases = typed("volume");
    return cases !== null && cases > 0 ? cases : null;
  };
  const least = (list) => list.reduce((b, v, n) => (v !== null && (b < 0 || v < list[b]) ? n : b), -1);
  const total = (list) => list.reduce((a, b) => a + b, 0);
  const range = (from, to) => Array.from({ length: to - from + 1 }, (_, k) => from + k);
  const listen = (id, event, act) => {
    if (!$(id)) return;
    $(id).disabled = false;
    $(id).addEventListener(event, act);
  };

