
  // ---- any number of classes: the matrix and the shares, and one number moved by a slider
  const matrix = () => {
    const [K, M] = [app.classes.length, app.decisions.length];
    const truth = unpack(many.truth);
    const given = many.models.map((model) => ({ counts: model.counts, posteriors: unpack(model.posteriors) }));
    const paths = many.paths.map((path) => ({ ...path, values: unpack(path.values), counts: path.counts.map(unpack) }));
    const price = paths.find((path) => path.column !== null);
    const shares = paths.filter((path) => path.row !== null);
    const boxes = range(0, K - 1).flatMap((i) => range(0, M - 1).map((j) => [i, j]));
    let [costs, priors, counts, how] = [app.costs, app.priors, given.map((model) => model.counts), ""];
    const stay = () => { costs = app.costs; priors = app.priors; counts = given.map((model) => model.counts); };
    const decide = (model) => { // a posterior at other shares is one times their ratio
      if (!model.posteriors) return model.counts;
      const found = app.classes.map(() => new Array(M).fill(0));
      const weighed = costs.map((row, i) => row.map((c) => (app.priors[i] > 0 ? priors[i] / app.priors[i] : 0) * c));
      const margin = (K + 8) * 2 ** -53; // the rounding of a sum: the first as good as the best is taken
      const lower = new Array(M);
      for (let n = 0; n < many.sample; n += 1) {
        let best = Infinity;
        for (let j = 0; j < M; j += 1) {
          let [cost, size] = [0, 0];
          for (let i = 0; i < K; i += 1) {
            const part = model.posteriors[n * K + i] * weighed[i][j];
            cost += part;
            size += Math.abs(part);
          }
          lower[j] = cost - margin * size;
          best = Math.min(best, cost + margin * size);
        }
        found[truth[n]][lower.findIndex((cost) => cost <= best)] += 1;
      }
      return found;
    };
    const always = () => {
      const standard = costs.map((row) => row.map((c) => c - Math.min(...row)));
      const each_ = app.decisions.map((_, j) => standard.reduce((sum, row, i) => sum + priors[i] * row[j], 0));
      const chosen = least(each_);
      return { standard, naive: each_[chosen], decision: app.decisions[chosen] };
    };
    const mean = (standard, found) => standard.reduce((sum, row, i) => {
      const all = total(found[i]);
      return all ? sum + priors[i] * row.reduce((s, c, j) => s + c * (found[i][j] / all), 0) : sum;
    }, 0);
    const absent = () => app.classes.find((_, i) => priors[i] > 0 && !total(given[0].counts[i]) &&
      costs[i].some((c) => c !== costs[i][0]));
    let payer = null;
    const pay = () => {
      if (!$("payer")) return;
      const chosen = counts[Number($("payer").value)];
      payers(priors, chosen, priced(costs, priors, chosen));
    };
    const show = () => {
      const moved = costs !== app.costs || priors !== app.priors;
      const { standard, naive, decision } = always();
      const absentOne = moved ? absent() : undefined;
      leave(moved || volume() !== app.volume);
      if (absentOne !== undefined || (moved && !(naive > 0))) {
        fill(names.map(() => null), 0, decision, true);
        announce(absentOne === undefined
          ? `Nothing to decide: always deciding '${decision}' is already perfect under these costs and shares.`
          : `Cannot say: no case of '${absentOne}', which would occur there.`);
        pay();
        noted();
        return;
      }
      const nec = moved ? counts.map((found) => mean(standard, found) / naive) : stated.map((model) => model.nec);
      const best = fill(nec, naive, decision, moved);
      if (moved) announce(unsure(nec, naive, decision, how));
      else announce(volume() === app.volume ? statedVerdict : rescaled(1));
      if (payer === null && $("payer") && best >= 0) $("payer").value = String(best);
      pay();
      noted();
    };
    const display = () => {
      boxes.forEach(([i, j]) => { if ($(`cost-${i}-${j}`)) $(`cost-${i}-${j}`).value = trimmed(String(costs[i][j])); });
      priors.forEach((p, i) => { if ($(`prior-${i}`)) $(`prior-${i}`).value = String(Number((100 * p).toPrecision(4))); });
    };
    const start = { cost: {}, prior: {} };
    const edited = () => {
      [price && "abstain", shares.length && "share"].filter(Boolean).forEach((id) => {
        $(id).value = String((id === "abstain" ? price : shares[0]).start);
      });
      stay();
      const rows = app.costs.map((row, i) => row.map((c, j) => {
        const value = typed(`cost-${i}-${j}`);
        return value === null || $(`cost-${i}-${j}`).value === start.cost[`${i}-${j}`] ? c : value;
      }));
      const parts = app.priors.map((p, i) => {
        const value = typed(`prior-${i}`);
        return value === null || value < 0 || $(`prior-${i}`).value === start.prior[i] ? 100 * p : value;
      });
      const sum = total(parts);
      if (rows.some((row, i) => row.some((c, j) => c !== app.costs[i][j]))) costs = rows;
      if (sum > 0 && parts.some((p, i) => p !== 100 * app.priors[i])) priors = parts.map((p) => p / sum);
      const off = priors !== app.priors && Math.abs(sum - 100) > 0.05;
      $("share-note").textContent = off ? `The shares add to ${three(sum)}${NBSP}%; they are taken in proportion.` : "";
      how = { fixed: ", with the decisions made for the stated costs and shares", decisions: "",
        sample: `, on the ${grouped(many.sample)} cases inside this page` }[many.how];
      if (many.how === "sample" && (costs !== app.costs || priors !== app.priors)) counts = given.map(decide);
      show();
      follow();
    };
    const at = (path, stop, n) => (path.counts[n] === null ? given[n].counts
      : app.classes.map((_, i) => Array.from(path.counts[n].subarray((stop * K + i) * M, (stop * K + i + 1) * M))));
    const apply = (path, stop) => {
      stay();
      how = "";
      if (stop === path.start) return;
      const value = path.values[stop];
      if (path.column !== null) costs = app.costs.map((row) => row.map((c, j) => (j === path.column ? value : c)));
      else priors = app.priors.map((p, i) => (i === path.row ? value : p * ((1 - value) / (1 - app.priors[path.row]))));
      counts = given.map((_, n) => at(path, stop, n));
    };
    const along = (path, stop) => {
      apply(path, stop);
      const { standard, naive } = always();
      return counts.map((found) => mean(standard, found) / naive);
    };
    const slid = (path) => {
      const id = path === price ? "abstain" : "share";
      if (path === price && shares.length) $("share").value = String(shares[0].start);
      if (path !== price && price) $("abstain").value = String(price.start);
      apply(path, Number($(id).value));
      if ($("share-note")) $("share-note").textContent = "";
      display();
      show();
      follow();
    };
    const chosenPath = () => shares[shares.length > 1 ? Number($("class").value) : 0];
    const handed = (found, column) => priors.reduce((sum, p, i) => sum + (p * found[i][column]) / (total(found[i]) || 1), 0);
    const follow = () => { // what stands beside the sliders and on the charts
      const { standard, naive } = always();
      const nec = counts.map((found) => mean(standard, found) / naive);
      const mark = (key, x, there) => {
        if (!$(`chart-${key}`)) return;
        upright(key, there ? x : NaN);
        const { top } = ceiling(key);
        names.forEach((_, n) => place(key, n, there && nec[n] <= top ? x : NaN, nec[n]));
      };
      if (price) {
        const value = costs[0][price.column];
        written("abstain", precise(value), plain(value, 3));
        $("abstain-said").textContent = `How often models abstain: ${list((name, n) => `${name} ${percent(handed(counts[n], price.column), 1)}`)}.`;
        const only = priors === app.priors && !how;
        mark("abstain", value, only);
        if ($("chart-coverage")) {
          names.forEach((_, n) => {
            const left = 1 - handed(counts[n], price.column);
            const paid_ = total(priced(costs, priors, counts[n]).flatMap((row) => row.filter((_c, j) => j !== price.column)));
            place("coverage", n, only && left > 0 ? left : NaN, paid_ / left);
          });
        }
      }
      if (shares.length) {
        const path = chosenPath();
        const value = priors[path.row];
        written("share", shareText(value), rate(value));
        mark(`share-${path.row}`, Math.log(value / (1 - value)), costs === app.costs && !how);
      }
      noted();
    };
    const noted = () => marked(costs === app.costs ? (priors === app.priors ? ""
      : `--prevalence '${app.classes.map((name, i) => `${name}=${precise(priors[i])}`).join(",")}'`) + volumeOption() : "");
    const pick = () => { // one class at a time
      shares.forEach((path) => {
        const shown = path === chosenPath();
        [`share-${path.row}`, `trust-${path.row}`].forEach((key) => {
          if ($(`figure-${key}`)) $(`figure-${key}`).hidden = !shown;
        });
      });
      $("share").defaultValue = String(chosenPath().start);
      $("share-box").defaultValue = shareText(app.priors[chosenPath().row]);
    };
    const chosen = () => {
      pick();
      $("share").value = String(chosenPath().start);
      slid(chosenPath());
    };
    redraw = () => {
      if (shares.length > 1) {
        const stop = $("share").value;
        pick();
        $("share").value = stop;
      }
      const moved = ["abstain", "share"].find((id) => $(id) && differs($(id)));
      if (moved) slid(moved === "abstain" ? price : chosenPath());
      else edited();
    };
    boxes.forEach(([i, j]) => { if ($(`cost-${i}-${j}`)) start.cost[`${i}-${j}`] = $(`cost-${i}-${j}`).value; });
    priors.forEach((_, i) => { if ($(`prior-${i}`)) start.prior[i] = $(`prior-${i}`).value; });
    document.querySelectorAll("input.cost").forEach((box) => listen(box.id, "input", edited));
    listen("volume", "input", show);
    listen("payer", "change", () => { payer = Number($("payer").value); pay(); });
    if (price) control("abstain", { at: (stop) => price.values[stop], scale: (v) => v, act: () => slid(price) });
    if (shares.length) control("share", { at: (stop) => 100 * chosenPath().values[stop], scale: odds, act: () => slid(chosenPath()) });
    if (shares.length > 1) listen("class", "change", chosen);
    const near = (path, x) => {
      const scaled = path === price ? Array.from(path.values) : Array.from(path.values, (v) => Math.log(v / (1 - v)));
      return least(scaled.map((v) => Math.abs(v - x)));
    };
    paths.forEach((path) => {
      const key = path === price ? "abstain" : `share-${path.row}`;
      reader(key, (x) => {
        const stop = near(path, x);
        const back = [costs, priors, counts, how];
        const nec = along(path, stop);
        [costs, priors, counts, how] = back;
        const value = path === price ? `deciding “${app.decisions[path.column]}” costs ${money(path.values[stop], app.unit)}`
          : `${rate(path.values[stop])} “${app.classes[path.row]}”`;
        return `${value}: NEC ${list((name, n) => `${name} ${nec[n].toFixed(3)}`)}`;
      });
      clicked(key, (x) => {
        $(path === price ? "abstain" : "share").value = String(near(path, x));
        slid(path);
      });
    });
    Object.entries(page.points).filter(([key]) => !LINES[key]).forEach(([key, points]) => trust(key, points));
    if (paths.length) follow();
  };
