"""The papers that several figures come from."""

CLARKE = "Clarke et al. 2008, Novelty and diversity in information retrieval evaluation"
FERRO = "Ferro, Silvello, Keskustalo, Pirkola and Järvelin 2016, The Twist measure for IR evaluation"
MANNING = "Manning, Raghavan and Schütze 2008"
SAKAI = "Sakai 2006, Evaluating evaluation metrics based on the bootstrap"
