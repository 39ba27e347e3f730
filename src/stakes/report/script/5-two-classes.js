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
    const cutOf = (n, k) => { // where the sliders start, the threshold to the last digit
      const [cut, exact] = [cutAt(k), stated[n].threshold];
      return k === start && exact !== null && Math.abs(exact - cut) <= 1e-6 * cut ? exact : cut;
    };
    const best = ({ hull, n0, n1 }, wrong, lost) => {
      let at = 0;
      let lowest = Infinity;
      for (let v = 0; v < hull.alarms.length; v += 1) {
        const cost = wrong * (hull.alarms[v] / n0) + lost * (hull.misses[v] / n1);
        if (cost < lowest) { lowest = cost; at = v; }
      }
      return [lowest, hull.cuts[at]];
    };
    const compute = (i, j, unit) => {
      const k = start + i + j;
      const ratio = ratioAt(i);
      const share = shareAt(j);
      const [alarm, miss] = [1 - share, share * ratio];
      const lowest = Math.min(alarm, miss);
      const [wrong, lost] = [alarm / lowest, miss / lowest];
      const cost = (m, at) => wrong * (m.alarms[at] / m.n0) + lost * (m.misses[at] / m.n1);
      const free = tables.free && j === 0;
      const table = free ? tables.free : tables.fixed;
      const at = free ? i + two.ratioStops : k;
      const each = (columns) => columns && columns.map((column) => column[at]);
      const nec = models.map((m) => cost(m, k));
      const after = models.map((m) => (m.fitted ? cost(m.fitted, k) : null));
      return {
        k, ratio, share, unit, nec, after, wrong, lost,
        naive: unit * lowest,
        naiveDecision: app.decisions[miss <= alarm ? 0 : 1],
        cut: models.map((m, n) => (stated[n].kind === "posteriors" ? cutOf(n, k) : null)),
        hull: models.map((m) => (m.hull ? best(m, wrong, lost) : null)),
        low: each(table.low), high: each(table.high), chance: each(table.chance),
        best: least(nec), bestAfter: least(after),
        kind: two.kinds[table.kind[at]],
        rivals: names.map((_, n) => n).filter((n) => table.close[at] >> n & 1)
          .sort((n, m) => nec[n] - nec[m]),
        value: table.value && table.value[at],
        ends: table.value && table.half && [table.value[at] - table.half[at], table.value[at] + table.half[at]],
        needed: table.needed ? table.needed[at] : NaN,
        afterEnds: table.after_low && [table.after_low[at], table.after_high[at]],
      };
    };
    const compared = stated.some((model) => model.probability_best !== null);
    const caution = page.tooFew ? "" : !two.sure ? surelyThere
      : compared && !two.apart ? " Models were compared with each other at the stated costs only." : "";
    let payer = null;
    const show = () => {
      const [i, j] = [Number($("ratio").value), Number($("share").value)];
      const unit = typed("unit") > 0 ? typed("unit") : two.unitCost;
      const now = compute(i, j, unit);
      const moved = i !== 0 || j !== 0 || unit !== two.unitCost || volume() !== app.volume;
      leave(moved);
      written("ratio", three(now.ratio), `${three(now.ratio)} false alarms`);
      written("share", shareText(now.share), rate(now.share));
      const home = i === 0 && j === 0;
      if (home) announce(moved ? rescaled(unit / two.unitCost) : statedVerdict);
      else if (page.challenge) announce(unsure(now.nec, now.naive, now.naiveDecision, ""));
      else announce(sentence(now) + caution);
      known(home);
      names.forEach((_, n) => {
        put(`nec-${n}`, now.nec[n].toFixed(3), now.nec[n]);
        if (now.low && Number.isFinite(now.low[n])) {
          put(`interval-${n}`, `${fixed(now.low[n])} – ${fixed(now.high[n])}`, `${now.low[n]} ${now.high[n]}`);
        }
        if (now.after[n] !== null) put(`recalibrated_nec-${n}`, now.after[n].toFixed(3), now.after[n]);
        if (now.cut[n] !== null) put(`rule-${n}`, rule(n, now.cut[n]), now.cut[n]);
        if (now.chance) put(`probability_best-${n}`, percent(now.chance[n], 0), now.chance[n]);
        if (now.hull[n]) {
          const [nec, cut] = now.hull[n];
          put(`hull-${n}`, nec.toFixed(3), nec);
          put(`hullcut-${n}`, cutText(cut), cut);
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
      const counts = [
        [chosen.n0 - chosen.alarms[now.k], chosen.alarms[now.k]],
        [chosen.misses[now.k], chosen.n1 - chosen.misses[now.k]],
      ];
      const shares = [1 - now.share, now.share];
      payers(shares, counts, priced(costs, shares, counts));
      const [[tn, fp], [fn, tp]] = costs;
      const correctly = [["tp", tp], ["tn", tn]].filter(([, cost]) => cost !== 0).map(([cell, cost]) => ` ${cell}=${precise(cost)}`);
      marked((i !== 0 || unit !== two.unitCost ? `--cost fn=${precise(fn)} fp=${precise(fp)}${correctly.join("")}` : "") +
        (j !== 0 ? ` --prevalence ${precise(now.share)}` : "") + volumeOption());
    };
    redraw = show;
    control("ratio", { at: ratioAt, scale: Math.log, act: show });
    control("share", { at: (j) => 100 * shareAt(j), scale: odds, act: show });
    ["volume", "unit"].forEach((id) => listen(id, "input", show));
    listen("payer", "change", () => { payer = Number($("payer").value); show(); });
    const last = 2 * two.ratioStops + two.lower + two.upper;
    reader("bayes", (x) => {
      const k = start + Math.round((x - x0) / two.step);
      if (k < 0 || k > last) return "";
      const j = Number($("share").value);
      const now = compute(k - start - j, j, 1);
      const [wrong, lost] = [Math.exp(-(x0 + two.step * (k - start))), 1];
      const lowest = Math.min(wrong, lost);
      const nec = (m) => (wrong * (m.alarms[k] / m.n0) + lost * (m.misses[k] / m.n1)) / lowest;
      return `${three(now.ratio)} false alarms per miss, share ${rate(now.share)}, act when p > ${three(cutAt(k))}: ` +
        `NEC ${list((name, n) => `${name} ${nec(models[n]).toFixed(3)}`)}`;
    });
    reader("decision", (x) => {
      if (!(x > 0 && x < 1)) return "";
      const k = start + Math.round((two.logOdds - Math.log(x / (1 - x)) - x0) / two.step);
      if (k < 0 || k > last) return "";
      const odds = Math.exp(two.logOdds - (x0 + two.step * (k - start)));
      const share = app.priors[1];
      const worth = (m) => share * (1 - m.misses[k] / m.n1) - (1 - share) * (m.alarms[k] / m.n0) * odds;
      return `act when p > ${three(odds / (1 + odds))}: net benefit ` +
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
              `act when p > ${three(m.hull.cuts[h])}`;
          }
        }
      });
      return found;
    });
    trust("reliability", page.points.reliability || {});
    clicked("bayes", (x) => {
      const i = Math.round((x - x0) / two.step) - Number($("share").value);
      $("ratio").value = String(Math.max(-two.ratioStops, Math.min(two.ratioStops, i)));
      show();
    });
    show();
  };

