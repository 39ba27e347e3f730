"use strict";
// Follows the sliders: every number is computed from counts, as the library computes it.
(() => {
  const $ = (id) => document.getElementById(id);
  const page = JSON.parse($("numbers").textContent);
  const { app, two, many, names, stated } = page;
  const KINDS = { f8: Float64Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array };
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
  const grouped = (x) => {
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
    return trimmed(x.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(size)))));
  };
  const money = (x, unit) => {
    const y = x && Number.isFinite(x) ? Number(x.toPrecision(3)) : x;
    const text = Math.abs(y) < 1000 ? plain(y, 3) : grouped(Math.round(y));
    return unit ? `${text}${NBSP}${unit}` : text;
  };
  const short = (x) => {
    const size = Math.abs(x);
    for (const [factor, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
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
    return percent(share, Math.max(1, 1 - Math.floor(Math.log10(100 * edge))));
  };
  const three = (x) => String(Number(x.toPrecision(3)));
  const outOf = (x) => (x >= 9.95 ? x.toFixed(0) : plain(Math.round(x * 100) / 100, 2));
  const put = (id, text, value) => {
    const cell = $(id);
    if (!cell) return;
    cell.textContent = text;
    if (value === undefined || value === null) cell.removeAttribute("data-value");
    else cell.dataset.value = String(value);
  };
  const volume = () => {
    const typed = $("volume").value;
    return typed === "" || !(Number(typed) > 0) ? null : Number(typed);
  };

  // ---- the verdict, in the words of the library
  const amount = (saving) => {
    const cases = volume();
    if (cases === null) return `${money(saving, app.unit)} per case`;
    const total = money(saving * cases, app.unit);
    return app.period ? `${total} a ${app.period}` : `${total} on ${grouped(cases)} cases`;
  };
  const between = (naive, ends) => {
    if (!ends || !ends.every(Number.isFinite)) return "";
    const [low, high] = [ends[1], ends[0]].map((nec) => money(naive * (1 - nec) * (volume() || 1), null));
    return ` (${low} to ${high})`;
  };
  const rule = (cut) => `p > ${cut >= 0.01 && cut <= 0.99 ? cut.toFixed(3) : plain(cut, 3)}`;
  const paid = app.costs.every((row) => Math.min(...row) === 0) ? "cost" : "avoidable cost";
  const sentence = (now) => {
    const k = now.best;
    const nec = now.nec[k];
    const baseline = `always deciding '${now.naiveDecision}'`;
    if (now.kind === "none") {
      return `None: keep ${baseline}. No model here costs less (the nearest, ${names[k]}, ` +
        `costs ${percent(nec, 0)} of it).`;
    }
    if (now.kind === "cannot say") {
      if (page.tooFew) return `Cannot say: ${page.tooFew}.`;
      return `Cannot say: ${names[k]} may be no better than ${baseline} (NEC ${nec.toFixed(3)}, ` +
        `${percent(page.level, 1)} interval ${now.low[k].toFixed(3)} to ${now.high[k].toFixed(3)}).`;
    }
    if (now.kind === "deploy after re-calibrating") {
      const after = now.bestAfter;
      const left = 1 - now.after[after];
      return `Deploy ${names[after]} after re-calibrating. It then avoids ${percent(left, 0)} of ` +
        `the ${paid} of ${baseline}: ${amount(now.naive * left)}${between(now.naive, now.afterEnds)}.`;
    }
    const ends = now.low && [now.low[k], now.high[k]];
    const worth = `avoids ${percent(1 - nec, 0)} of the ${paid} of ${baseline}: ` +
      `${amount(now.naive * (1 - nec))}${between(now.naive, ends)}.`;
    if (now.kind === "cannot tell apart") {
      const equals = names.filter((_, n) => now.nec[n] - nec <= 1e-12 * Math.max(1, nec));
      if (equals.length > 1) return `${equals.join(" or ")}: they cost the same on these cases. Either ${worth}`;
      let text = `${names[k]} or ${names[now.rival]}: the data cannot tell them apart ` +
        `(difference ${now.value.toFixed(3)} ± ${now.half.toFixed(3)}`;
      const more = now.needed - page.cases;
      if (Number.isFinite(more) && more > 0) {
        const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(more, 1))) - 1);
        text += `; about ${grouped(Math.ceil(more / unit) * unit)} more cases needed`;
      }
      return `${text}). ${names[k]} ${worth}`;
    }
    const at = now.cut[k] === null ? "" : ` at ${rule(now.cut[k])}`;
    return `Deploy ${names[k]}${at}. It ${worth}`;
  };
  const announce = (text) => {
    const target = $("verdict");
    if (target.textContent.replace(/\s+/g, " ").trim() === text.replace(/\s+/g, " ").trim()) return;
    const stop = text.indexOf(". ");
    target.replaceChildren();
    if (stop < 0) {
      target.textContent = text;
      return;
    }
    const strong = document.createElement("strong");
    strong.textContent = text.slice(0, stop + 1);
    target.append(strong, ` ${text.slice(stop + 2)}`);
  };
  const statedVerdict = $("verdict").textContent.replace(/\n/g, " ");

  // ---- the table of the models, cheapest first
  const order = (costs, best) => {
    const body = $("models");
    const rows = names.map((_, k) => $(`nec-${k}`).parentNode);
    const sorted = rows.map((row, k) => [costs[k], k, row]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const naive = $("naive").parentNode;
    sorted.forEach(([, k, row]) => {
      row.className = k === best ? "best" : "";
      body.insertBefore(row, naive);
    });
  };
  const savings = (naive, nec) => names.forEach((_, k) => {
    const saved = naive * (1 - nec[k]);
    const cases = volume();
    put(`saving-${k}`, cases === null ? plain(saved, 4) : short(saved * cases), saved * (cases || 1));
  });
  const leave = (moved) => document.querySelectorAll(".stated").forEach((p) => { p.hidden = moved; });

  // ---- who pays
  const payers = (costs, priors, counts) => {
    const paid = counts.map((row, i) => {
      const total = row.reduce((a, b) => a + b, 0) || 1;
      return row.map((n, j) => priors[i] * (n / total) * costs[i][j]);
    });
    const gross = paid.flat().reduce((a, b) => a + Math.abs(b), 0) || 1;
    counts.forEach((row, i) => {
      const total = row.reduce((a, b) => a + b, 0) || 1;
      row.forEach((n, j) => {
        const cell = $(`cell-${i}-${j}`);
        if (!cell) return;
        const share = Math.abs(paid[i][j]) / gross;
        const cases = (1000 * priors[i] * n) / total;
        cell.className = `share-${share < 0.005 ? 0 : 1 + Math.min(3, Math.floor(4 * share))}`;
        cell.dataset.value = String(cases);
        cell.querySelector(".count").textContent = outOf(cases);
        cell.querySelector(".cell-cost").textContent = share < 0.005 ? "" : `${percent(share, 0)} of the cost`;
      });
    });
  };

  // ---- reading a chart under the pointer
  const reader = (key, read) => {
    const svg = $(`chart-${key}`);
    if (!svg) return;
    const [a, b, c, d] = page.scales[key];
    const size = svg.viewBox.baseVal;
    const line = $(`${key}-reading`);
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) * size.width) / box.width;
      const y = ((event.clientY - box.top) * size.height) / box.height;
      line.textContent = read((x - a) / b, (y - c) / d, { x, y, a, b, c, d }) || NBSP;
    });
    svg.addEventListener("pointerleave", () => { line.textContent = NBSP; });
  };
  const place = (key, k, x, y) => {
    const dot = $(`${key}-dot-${k}`);
    if (!dot) return;
    const [a, b, c, d] = page.scales[key];
    const seen = Number.isFinite(x) && Number.isFinite(y);
    dot.setAttribute("visibility", seen ? "visible" : "hidden");
    if (seen) dot.setAttribute("transform", `translate(${a + b * x} ${c + d * y})`);
  };
  const upright = (key, x) => {
    const line = $(`${key}-line`);
    if (!line) return;
    const [a, b] = page.scales[key];
    const frame = $(`chart-${key}`).querySelector("path").getBBox();
    const at = a + b * x;
    const inside = at >= frame.x && at <= frame.x + frame.width;
    line.setAttribute("visibility", inside ? "visible" : "hidden");
    line.setAttribute("x1", at);
    line.setAttribute("x2", at);
    line.setAttribute("y1", frame.y);
    line.setAttribute("y2", frame.y + frame.height);
  };
  const ceiling = (key) => {
    const [, , c, d] = page.scales[key];
    const frame = $(`chart-${key}`).querySelector("path").getBBox();
    return { top: (frame.y - c) / d, bottom: (frame.y + frame.height - c) / d };
  };
  const probit = (p) => { // Acklam's approximation, to place symbols
    const near = Math.min(p, 1 - p);
    if (near <= 0) return p < 0.5 ? -Infinity : Infinity;
    const q = Math.sqrt(-2 * Math.log(near));
    const tail = (((((-7.784894002430293e-3 * q - 3.223964580411365e-1) * q - 2.400758277161838) * q -
      2.549732539343734) * q + 4.374664141464968) * q + 2.938163982698783) /
      ((((7.784695709041462e-3 * q + 3.224671290700398e-1) * q + 2.445134137142996) * q + 3.754408661907416) * q + 1);
    if (near < 0.02425) return p < 0.5 ? tail : -tail;
    const u = p - 0.5;
    const r = u * u;
    return ((((((-3.969683028665376e1 * r + 2.209460984245205e2) * r - 2.759285104469687e2) * r +
      1.38357751867269e2) * r - 3.066479806614716e1) * r + 2.506628277459239) * u) /
      (((((-5.447609879822406e1 * r + 1.615858368580409e2) * r - 1.556989798598866e2) * r +
      6.680131188771972e1) * r - 1.328068155288572e1) * r + 1);
  };

  // ---- two classes: the sliders
  const binary = () => {
    const start = two.ratioStops + two.lower;
    const x0 = two.logRatio + two.logOdds;
    const correct = [app.costs[0][0], app.costs[1][1]];
    const ratio0 = (app.costs[1][0] - app.costs[1][1]) / two.unitCost;
    const models = two.models.map((model) => ({
      n0: model.totals[0],
      n1: model.totals[1],
      alarms: unpack(model.alarms),
      misses: unpack(model.misses),
      fitted: model.fitted && { n0: model.totals[0], n1: model.totals[1], alarms: unpack(model.fitted.alarms), misses: unpack(model.fitted.misses) },
      hull: model.hull && {
        alarms: unpack(model.hull.alarms), misses: unpack(model.hull.misses), cuts: unpack(model.hull.cuts),
      },
    }));
    const tables = {};
    for (const [key, table] of Object.entries(two.tables)) {
      tables[key] = {};
      for (const [name, part] of Object.entries(table)) {
        tables[key][name] = Array.isArray(part) ? part.map(unpack) : unpack(part);
      }
    }
    const ratioAt = (i) => (i === 0 ? ratio0 : Math.exp(two.logRatio + two.step * i));
    const shareAt = (j) => (j === 0 ? app.priors[1] : 1 / (1 + Math.exp(-(two.logOdds + two.step * j))));
    const cutAt = (k) => 1 / (1 + Math.exp(x0 + two.step * (k - start) - two.saidLogOdds));
    const best = ({ hull, n0, n1 }, wrong, lost) => {
      let at = 0;
      let least = Infinity;
      for (let v = 0; v < hull.alarms.length; v += 1) {
        const cost = wrong * (hull.alarms[v] / n0) + lost * (hull.misses[v] / n1);
        if (cost < least) { least = cost; at = v; }
      }
      return [least, hull.cuts[at]];
    };
    const compute = (i, j, unit) => {
      const k = start + i + j;
      const ratio = ratioAt(i);
      const share = shareAt(j);
      const [alarm, miss] = [1 - share, share * ratio];
      const least = Math.min(alarm, miss);
      const [wrong, lost] = [alarm / least, miss / least];
      const cost = (m, at) => wrong * (m.alarms[at] / m.n0) + lost * (m.misses[at] / m.n1);
      const free = tables.free && j === 0;
      const table = free ? tables.free : tables.fixed;
      const at = free ? i + two.ratioStops : k;
      const each = (columns) => columns && columns.map((column) => column[at]);
      const nec = models.map((m) => cost(m, k));
      const after = models.map((m) => (m.fitted ? cost(m.fitted, k) : null));
      const lowest = (list) => list.reduce((b, v, n) => (v !== null && (b < 0 || v < list[b]) ? n : b), -1);
      return {
        k, ratio, share, unit, nec, after, wrong, lost,
        naive: unit * least,
        naiveDecision: app.decisions[miss <= alarm ? 0 : 1],
        cut: models.map((m, n) => (stated[n].kind === "posteriors" ? cutAt(k) : null)),
        hull: models.map((m) => (m.hull ? best(m, wrong, lost) : null)),
        low: each(table.low), high: each(table.high), chance: each(table.chance),
        best: lowest(nec), bestAfter: lowest(after),
        kind: two.kinds[table.kind[at]],
        rival: table.rival[at] - 1,
        value: table.value && table.value[at],
        half: table.half && table.half[at],
        needed: table.needed ? table.needed[at] : NaN,
        afterEnds: table.after_low && [table.after_low[at], table.after_high[at]],
      };
    };
    let payer = null;
    const show = () => {
      const [i, j] = [Number($("ratio").value), Number($("share").value)];
      const typed = Number($("unit").value);
      const unit = typed > 0 ? typed : two.unitCost;
      const now = compute(i, j, unit);
      const moved = i !== 0 || j !== 0 || unit !== two.unitCost || volume() !== app.volume;
      leave(moved);
      $("ratio-shown").textContent = three(now.ratio);
      $("share-shown").textContent = rate(now.share);
      $("ratio").setAttribute("aria-valuetext", `${three(now.ratio)} false alarms`);
      $("share").setAttribute("aria-valuetext", rate(now.share));
      announce(moved ? sentence(now) : statedVerdict);
      names.forEach((_, n) => {
        put(`nec-${n}`, now.nec[n].toFixed(3), now.nec[n]);
        const known = now.low && Number.isFinite(now.low[n]);
        put(`interval-${n}`, known ? `${now.low[n].toFixed(3)} – ${now.high[n].toFixed(3)}` : "",
          known ? `${now.low[n]} ${now.high[n]}` : null);
        if (now.after[n] !== null) put(`after-${n}`, now.after[n].toFixed(3), now.after[n]);
        if (now.cut[n] !== null) put(`cut-${n}`, now.cut[n].toFixed(3), now.cut[n]);
        if (now.chance) put(`chance-${n}`, percent(now.chance[n], 0), now.chance[n]);
        if (now.hull[n]) {
          const [nec, cut] = now.hull[n];
          put(`hull-${n}`, nec.toFixed(3), nec);
          put(`hullcut-${n}`, cut === Infinity ? "never" : cut === -Infinity ? "always" : cut.toFixed(3), cut);
        }
        const tops = $("chart-bayes") ? ceiling("bayes") : null;
        if (tops) place("bayes", n, x0 + two.step * (now.k - start), now.nec[n] <= tops.top ? now.nec[n] : NaN);
        if ($("chart-det")) {
          const edge = ceiling("det");
          const [u, v] = [probit(models[n].alarms[now.k] / models[n].n0), probit(models[n].misses[now.k] / models[n].n1)];
          const seen = [u, v].every((w) => w >= edge.bottom && w <= edge.top);
          place("det", n, seen ? u : NaN, v);
        }
      });
      $("naive").textContent = `always decide “${now.naiveDecision}”`;
      savings(now.naive, now.nec);
      order(now.nec, now.best);
      if ($("chart-bayes")) upright("bayes", x0 + two.step * (now.k - start));
      if ($("chart-decision")) upright("decision", 1 / (1 + now.ratio));
      if (payer === null && $("payer")) $("payer").value = String(now.best);
      const chosen = models[$("payer") ? Number($("payer").value) : now.best];
      const costs = [
        [correct[0], correct[0] + unit], [correct[1] + now.ratio * unit, correct[1]],
      ];
      payers(costs, [1 - now.share, now.share], [
        [chosen.n0 - chosen.alarms[now.k], chosen.alarms[now.k]],
        [chosen.misses[now.k], chosen.n1 - chosen.misses[now.k]],
      ]);
    };
    ["ratio", "share", "volume", "unit"].forEach((id) => {
      $(id).disabled = false;
      $(id).addEventListener("input", show);
    });
    if ($("payer")) {
      $("payer").disabled = false;
      $("payer").addEventListener("change", () => { payer = Number($("payer").value); show(); });
    }
    const last = 2 * two.ratioStops + two.lower + two.upper;
    const list = (text) => names.map((name, n) => text(name, n)).filter(Boolean).join(", ");
    reader("bayes", (x) => {
      const k = start + Math.round((x - x0) / two.step);
      if (k < 0 || k > last) return "";
      const j = Number($("share").value);
      const now = compute(k - start - j, j, 1);
      const [wrong, lost] = [Math.exp(-(x0 + two.step * (k - start))), 1];
      const least = Math.min(wrong, lost);
      const nec = (m) => (wrong * (m.alarms[k] / m.n0) + lost * (m.misses[k] / m.n1)) / least;
      return `${three(now.ratio)} false alarms per miss at ${rate(now.share)}: ` +
        `${list((name, n) => `${name} ${nec(models[n]).toFixed(3)}`)}; act when p > ${three(cutAt(k))}`;
    });
    reader("decision", (x) => {
      if (!(x > 0 && x < 1)) return "";
      const k = start + Math.round((two.logOdds - Math.log(x / (1 - x)) - x0) / two.step);
      if (k < 0 || k > last) return "";
      const odds = Math.exp(two.logOdds - (x0 + two.step * (k - start)));
      const share = app.priors[1];
      const worth = (m) => share * (1 - m.misses[k] / m.n1) - (1 - share) * (m.alarms[k] / m.n0) * odds;
      return `acting above ${three(odds / (1 + odds))}: ` +
        list((name, n) => `${name} ${worth(models[n]).toFixed(4)}`);
    });
    reader("det", (x, y, { x: u, y: v, a, b, c, d }) => {
      let found = "";
      let nearest = 40 * 40;
      models.forEach((m, n) => {
        if (!m.hull) return;
        for (let h = 0; h < m.hull.alarms.length; h += 1) {
          const [p, q] = [m.hull.alarms[h] / m.n0, m.hull.misses[h] / m.n1];
          const far = (a + b * probit(p) - u) ** 2 + (c + d * probit(q) - v) ** 2;
          if (far < nearest) {
            nearest = far;
            found = `${names[n]}: ${percent(q, 1)} missed, ${percent(p, 1)} false alarms, ` +
              `acting when p > ${three(m.hull.cuts[h])}`;
          }
        }
      });
      return found;
    });
    const points = Object.entries(page.points).map(([n, p]) => [Number(n), unpack(p.says), unpack(p.happens)]);
    reader("reliability", (x, y, { x: u, y: v, a, b, c, d }) => {
      let found = "";
      let nearest = 40 * 40;
      points.forEach(([n, says, happens]) => says.forEach((p, h) => {
        const far = (a + b * p - u) ** 2 + (c + d * happens[h] - v) ** 2;
        if (far < nearest) {
          nearest = far;
          found = `${names[n]} says ${rate(p)}, it happens ${percent(happens[h], 1)} of the time`;
        }
      }));
      return found;
    });
    const chart = $("chart-bayes");
    if (chart) {
      chart.addEventListener("click", (event) => {
        const [a, b] = page.scales.bayes;
        const box = chart.getBoundingClientRect();
        const x = (((event.clientX - box.left) * chart.viewBox.baseVal.width) / box.width - a) / b;
        const i = Math.round((x - x0) / two.step) - Number($("share").value);
        $("ratio").value = String(Math.max(-two.ratioStops, Math.min(two.ratioStops, i)));
        show();
      });
    }
    show();
  };

  // ---- any number of classes: the matrix, and the price of abstaining
  const table = () => {
    const [K, M] = [app.classes.length, app.decisions.length];
    const size = many.sample || 0;
    const truth = unpack(many.truth);
    const given = many.models.map((model) => ({
      counts: model.counts, posteriors: unpack(model.posteriors),
      lost: unpack(model.lost), left: unpack(model.left),
    }));
    const prices = many.abstain && unpack(many.abstain.prices);
    let costs = app.costs.map((row) => row.slice());
    let counts = given.map((model) => model.counts);
    const decide = (model) => {
      if (!model.posteriors) return model.counts;
      const found = app.classes.map(() => new Array(M).fill(0));
      for (let n = 0; n < size; n += 1) {
        let chosen = 0;
        let least = Infinity;
        for (let j = 0; j < M; j += 1) {
          let cost = 0;
          for (let i = 0; i < K; i += 1) cost += model.posteriors[n * K + i] * costs[i][j];
          if (cost < least) { least = cost; chosen = j; }
        }
        found[truth[n]][chosen] += 1;
      }
      return found;
    };
    const standard = () => costs.map((row) => row.map((c) => c - Math.min(...row)));
    const bottom = (std) => Math.min(...app.decisions.map((_, j) => std.reduce((s, row, i) => s + app.priors[i] * row[j], 0)));
    const mean = (std, table_) => std.reduce((sum, row, i) => {
      const total = table_[i].reduce((a, b) => a + b, 0);
      return total ? sum + app.priors[i] * row.reduce((s, c, j) => s + c * (table_[i][j] / total), 0) : sum;
    }, 0);
    const fill = (nec, naive, moved) => {
      leave(moved);
      names.forEach((_, n) => {
        put(`nec-${n}`, nec[n].toFixed(3), nec[n]);
        if (moved) ["interval", "after", "chance"].forEach((name) => put(`${name}-${n}`, "", null));
        else restore(n);
      });
      savings(naive, nec);
      const best = nec.reduce((b, v, n) => (v < nec[b] ? n : b), 0);
      order(nec, best);
      if (!moved) { announce(statedVerdict); return best; }
      const saved = 1 - nec[best];
      announce(saved > 0
        ? `Cheapest here: ${names[best]}. It avoids ${percent(saved, 0)} of the cost of the best ` +
          `constant decision: ${amount(naive * saved)}. How sure this is was computed at the stated costs only.`
        : "None: no model here costs less than the best constant decision.");
      return best;
    };
    const kept = ["interval", "after", "chance"].map((name) => names.map((_, n) => $(`${name}-${n}`)?.textContent));
    const restore = (n) => ["interval", "after", "chance"].forEach((name, at) => {
      if (kept[at][n] !== undefined) put(`${name}-${n}`, kept[at][n], null);
    });
    let payer = null;
    const pay = (best) => {
      if (!$("payer")) return;
      if (payer === null) $("payer").value = String(best);
      payers(costs, app.priors, counts[Number($("payer").value)]);
    };
    const edited = () => {
      let moved = false;
      costs = costs.map((row, i) => row.map((c, j) => {
        const typed = $(`cost-${i}-${j}`).value;
        const value = typed === "" || !Number.isFinite(Number(typed)) ? app.costs[i][j] : Number(typed);
        moved = moved || value !== app.costs[i][j];
        return value;
      }));
      counts = moved ? given.map(decide) : given.map((model) => model.counts);
      const std = standard();
      const naive = bottom(std);
      if (!(naive > 0)) { announce("Nothing to decide: a constant decision is already perfect under these costs."); return; }
      const nec = moved ? counts.map((c) => mean(std, c) / naive) : stated.map((m) => m.nec);
      pay(fill(nec, naive, moved || volume() !== app.volume));
    };
    const over = (share, price) => {
      $("abstain-shown").textContent = plain(price, 3);
      $("abstain").setAttribute("aria-valuetext", plain(price, 3));
      $("abstain-said").textContent = names.map((name, n) => (share[n] === undefined ? "" :
        `${name} hands over ${percent(share[n], 1)}`)).filter(Boolean).join(", ");
    };
    const abstain = () => {
      const at = Number($("abstain").value);
      const { column, start } = many.abstain;
      const price = at === start ? app.costs[0][column] : prices[at];
      if (many.editable) {
        app.classes.forEach((_, i) => { $(`cost-${i}-${column}`).value = String(price); });
        edited();
        const left = (c, i) => c[i][column] / (c[i].reduce((a, b) => a + b, 0) || 1);
        over(names.map((_, n) => app.priors.reduce((sum, p, i) => sum + p * left(counts[n], i), 0)), price);
        return;
      }
      costs = app.costs.map((row) => row.map((c, j) => (j === column ? price : c)));
      const std = standard();
      const naive = bottom(std);
      const shift = app.costs.map((row) => Math.min(...row.filter((_, j) => j !== column), price));
      const share = [];
      const nec = given.map((model, n) => {
        if (!model.lost) return mean(std, model.counts) / naive;
        let cost = 0;
        share[n] = 0;
        for (let i = 0; i < K; i += 1) {
          const total = many.totals[i];
          if (!total) continue;
          const left = model.left[at * K + i] / total;
          cost += app.priors[i] * (model.lost[at * K + i] / total + price * left - shift[i]);
          share[n] += app.priors[i] * left;
        }
        return cost / naive;
      });
      const moved = at !== start;
      fill(moved ? nec : stated.map((m) => m.nec), naive, moved || volume() !== app.volume);
      names.forEach((_, n) => put(`nec-${n}`, nec[n].toFixed(3), nec[n]));
      over(share, price);
    };
    const redo = () => {
      if (many.editable) edited();
      else if (prices && Number($("abstain").value) !== many.abstain.start) abstain();
      else plainly();
    };
    const plainly = () => {
      const std = standard();
      pay(fill(stated.map((m) => m.nec), bottom(std), volume() !== app.volume));
    };
    $("volume").disabled = false;
    $("volume").addEventListener("input", redo);
    if ($("payer")) {
      $("payer").disabled = false;
      $("payer").addEventListener("change", () => { payer = Number($("payer").value); pay(payer); });
    }
    if (many.editable) {
      document.querySelectorAll("input.cost").forEach((box) => {
        box.disabled = false;
        box.addEventListener("input", edited);
      });
    }
    if (prices) {
      $("abstain").disabled = false;
      $("abstain").addEventListener("input", abstain);
      abstain();
    }
  };

  document.querySelectorAll("button.svg").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => {
      const text = new XMLSerializer().serializeToString($(`chart-${button.dataset.chart}`));
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
      link.download = `${button.dataset.chart}.svg`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  });
  if (two) binary();
  else if (many) table();
  document.documentElement.dataset.ready = "yes";
})();
